import type { Context, Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { lockTransferOf } from '../place-transfer.ts'
import { carryOut, findNamed } from './reverse-transfers.ts'
import { listEarlyReversals, lockOpenReversal } from './store.ts'

/** Reversals of one round, each in a transaction of its own. */
const mostOfRound = 100

const carryOutOne = async (tx: Tx, { requisiteId, id, transferId }: Early): Promise<boolean> => {
  const [reversal] = await tx.query(lockOpenReversal, { requisiteId, id })
  if (!reversal) return false
  await lockTransferOf(tx, { requisiteId, id: transferId })
  const found = await findNamed(tx, requisiteId, transferId)
  if (!found) return false
  await carryOut(tx, { requisiteId, id, ...reversal }, found, { actor: 'bank', note: null })
  return true
}

type Early = ReturnType<typeof listEarlyReversals.decode>

/**
 * Carries out reversals that were told before the transfer that their reference names: channels do not keep an order.
 * Returns how many. One that cannot be carried out at the moment does not keep the others waiting.
 */
export const carryOutEarly = async (context: Context): Promise<number> => {
  let done = 0
  for (const early of await context.query(listEarlyReversals, { limit: mostOfRound })) {
    try {
      if (await context.transaction((tx) => carryOutOne(tx, early))) done++
    } catch (error) {
      if (error instanceof Refusal && error.code === 'database_unavailable') throw error
      context.log.warn({ err: error, reversal: early.id }, 'a reversal cannot be carried out at the moment')
    }
  }
  return done
}

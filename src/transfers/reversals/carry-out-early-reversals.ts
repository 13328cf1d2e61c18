import type { Context, Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { lockTransfer } from '../lock-transfer.ts'
import { carryOutReversal } from './carry-out-reversal.ts'
import { findWithReference } from './find-reversed-transfer.ts'
import { listEarlyReversals, lockOpenReversal } from './store.ts'

/** Most reversals of one round, each in a transaction of its own. */
const mostPerRound = 100

type EarlyReversal = ReturnType<typeof listEarlyReversals.decode>

const carryOutOne = async (tx: Tx, { requisiteId, id, transferId }: EarlyReversal): Promise<boolean> => {
  const [reversal] = await tx.query(lockOpenReversal, { requisiteId, id })
  if (!reversal) return false
  await lockTransfer(tx, { requisiteId, id: transferId })
  const found = await findWithReference(tx, reversal, transferId)
  if (!found) return false
  await carryOutReversal(tx, reversal, found, { actor: 'bank', note: null })
  return true
}

/**
 * Carries out reversals that were reported before the transfer with their reference: channels do not keep an order.
 * Returns how many. One that cannot be carried out at the moment does not keep the others waiting.
 */
export const carryOutEarlyReversals = async (context: Context): Promise<number> => {
  let done = 0
  for (const early of await context.query(listEarlyReversals, { limit: mostPerRound })) {
    try {
      if (await context.transaction((tx) => carryOutOne(tx, early))) done++
    } catch (error) {
      if (error instanceof Refusal && error.code === 'database_unavailable') throw error
      context.log.warn({ err: error, reversalId: early.id }, 'a reversal cannot be carried out at the moment')
    }
  }
  return done
}

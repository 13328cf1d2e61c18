import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { type Decider, lockTransferOf, type TransferKey } from '../place-transfer.ts'
import { carryOut } from './reverse-transfers.ts'
import { findReversible, lockOpenReversal, resolveReversal } from './store.ts'

const lockOpen = async (tx: Tx, { requisiteId, id }: TransferKey) => {
  const [reversal] = await tx.query(lockOpenReversal, { requisiteId, id })
  if (!reversal) throw new Refusal('resource_not_found', 'No such reversal waits for a decision.')
  return reversal
}

/**
 * Says which transfer a reversal took back, whole; its money leaves from where it went. Refuses `resource_not_found`, and
 * `invalid_state` for a transfer of another amount or one that was taken back already.
 */
export const assignReversal = async (tx: Tx, key: TransferKey, transferId: string, decider: Decider): Promise<void> => {
  const { requisiteId, id } = key
  const reversal = await lockOpen(tx, key)
  await lockTransferOf(tx, { requisiteId, id: transferId })
  const [found] = await tx.query(findReversible, { requisiteId, id: transferId })
  if (found?.amount !== reversal.amount)
    throw new Refusal('invalid_state', 'The transfer is of another amount, or was taken back already.')
  if (found.repeats)
    throw new Refusal('invalid_state', `The transfer is the same money as transfer ${found.repeatOf}: name that one.`)
  const { actor: by, note } = decider
  await tx.query(resolveReversal, { requisiteId, id, transferId: null, by, note, now: tx.now })
  await carryOut(tx, { requisiteId, id, ...reversal }, found, decider)
}

/** Says that a reversal took back nothing that was ever recorded; the ledger stays. Refuses `resource_not_found`. */
export const ignoreReversal = async (tx: Tx, key: TransferKey, { actor: by, note }: Decider): Promise<void> => {
  await lockOpen(tx, key)
  await tx.query(resolveReversal, { ...key, transferId: null, by, note, now: tx.now })
}

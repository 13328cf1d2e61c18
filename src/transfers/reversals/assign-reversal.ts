import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { lockTransfer, type TransferKey } from '../lock-transfer.ts'
import type { Decider } from '../write-parts.ts'
import { canTakeBack } from './find-reversed-transfer.ts'
import { carryOutReversal, type StoredReversal } from './carry-out-reversal.ts'
import { findReversible, lockOpenReversal, resolveReversal } from './store.ts'

const lockOpen = async (tx: Tx, key: TransferKey): Promise<StoredReversal> => {
  const [reversal] = await tx.query(lockOpenReversal, key)
  if (!reversal) throw new Refusal('resource_not_found', 'No such reversal waits for a decision.')
  return reversal
}

/**
 * Says which transfer a reversal took back, or a part of it; its money leaves from where it went. Refuses
 * `resource_not_found`, and `invalid_state` for a transfer of which the bank has less left.
 */
export const assignReversal = async (
  tx: Tx,
  key: TransferKey,
  transferId: string,
  { actor, note }: Decider,
): Promise<void> => {
  const reversal = await lockOpen(tx, key)
  const { requisiteId } = key
  await lockTransfer(tx, { requisiteId, id: transferId })
  const [found] = await tx.query(findReversible, { requisiteId, id: transferId })
  if (!found || !canTakeBack(found, reversal.amount))
    throw new Refusal('invalid_state', 'The transfer is of a smaller amount, or was taken back already.')
  if (found.isDuplicate)
    throw new Refusal(
      'invalid_state',
      `The transfer is the same money as transfer ${found.duplicateOf}: name that one.`,
    )
  await tx.query(resolveReversal, { ...key, by: actor, note, now: tx.now })
  await carryOutReversal(tx, reversal, found, { actor, note })
}

/** Says that a reversal took back nothing that was recorded; the ledger stays as it is. Refuses `resource_not_found`. */
export const ignoreReversal = async (tx: Tx, key: TransferKey, { actor, note }: Decider): Promise<void> => {
  await lockOpen(tx, key)
  await tx.query(resolveReversal, { ...key, by: actor, note, now: tx.now })
}

import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { lockTransfer, type TransferKey, waitingAmount } from '../lock-transfer.ts'
import type { Decider } from '../write-parts.ts'
import { markParked } from './store.ts'

/**
 * Marks a transfer in the inbox as put aside for later, or as no longer so; any other decision takes the mark away. Refuses
 * `resource_not_found`, and `invalid_state` where it does not wait or has no mark to take away.
 */
export const parkTransfer = async (tx: Tx, key: TransferKey, decider: Decider, isParked: boolean): Promise<void> => {
  const transfer = await lockTransfer(tx, key)
  waitingAmount(transfer)
  if (!isParked && transfer.parkedAt === null) throw new Refusal('invalid_state', 'The transfer is not parked.')
  await tx.query(markParked, {
    requisiteId: key.requisiteId,
    transferId: key.id,
    at: isParked ? tx.now : null,
    by: isParked ? decider.actor : null,
    because: isParked ? decider.note : null,
  })
}

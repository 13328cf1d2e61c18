import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { lockTransferOf, type TransferKey } from '../place-transfer.ts'
import { reverseTransfers } from './reverse-transfers.ts'

/**
 * Records that the bank took a transfer back, as an operator says; the bank may still report it. The same transfer again
 * changes nothing. Refuses `resource_not_found`, and `invalid_state` when its report was undone.
 */
export const reverseTransfer = async (
  tx: Tx,
  key: TransferKey,
  by: { readonly actor: string; readonly reason: string; readonly bookedAt: Instant },
): Promise<{ readonly repeated: boolean }> => {
  const transfer = await lockTransferOf(tx, key)
  if (transfer.reversedAt !== null) return { repeated: true }
  if (transfer.parts.some((part) => part.kind === 'returned')) {
    throw new Refusal('invalid_state', 'The report of this transfer was undone; there is nothing to take back.')
  }
  if (transfer.parts.some((part) => part.kind === 'repeated')) {
    throw new Refusal('invalid_state', `It is the same money as transfer ${transfer.repeatOf}: reverse that one.`)
  }
  const { id: transferId, requisiteId, currency, amount } = transfer
  await reverseTransfers(tx, [
    {
      ...{ requisiteId, currency, amount, bookedAt: by.bookedAt, bankReference: null, sender: null },
      source: by.actor,
      dedupeKey: `operator:${transferId}`,
      named: { transferId, by: by.actor, reason: by.reason },
    },
  ])
  return { repeated: false }
}

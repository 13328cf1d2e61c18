import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { refuseBeforeOpening } from '../../ledger/opening-balances/refuse-before-opening.ts'
import { lockTransfer, type TransferKey } from '../lock-transfer.ts'
import { recordReversals } from './record-reversals.ts'

/**
 * Records on an operator's word that the bank took a transfer back, or what it had left of it; the bank may still report
 * it. Again it changes nothing. Refuses `resource_not_found`, and `invalid_state` for a transfer that was withdrawn or
 * is a duplicate; `validation_failed` for a time before the opening balance.
 */
export const reverseTransfer = async (
  tx: Tx,
  key: TransferKey,
  by: { readonly actor: string; readonly reason: string; readonly bookedAt: Instant },
): Promise<void> => {
  const transfer = await lockTransfer(tx, key)
  if (transfer.reversedAt !== null) return
  if (transfer.parts.some((part) => part.kind === 'withdrawn')) {
    throw new Refusal('invalid_state', 'This transfer was withdrawn with its statement; there is nothing to reverse.')
  }
  if (transfer.parts.some((part) => part.kind === 'duplicate')) {
    throw new Refusal('invalid_state', `It is the same money as transfer ${transfer.duplicateOf}: reverse that one.`)
  }
  const { id: transferId, requisiteId, currency } = transfer
  await refuseBeforeOpening(tx, [{ requisiteId, bookedAt: by.bookedAt, field: 'bookedAt' }])
  const amount = transfer.amount - transfer.reversedAmount
  await recordReversals(tx, [
    {
      ...{ requisiteId, currency, amount, bookedAt: by.bookedAt, bankReference: null, sender: null },
      source: by.actor,
      dedupeKey: `operator:${transferId}`,
      chosen: { transferId, by: by.actor, reason: by.reason },
    },
  ])
}

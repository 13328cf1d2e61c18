import type { NewTransfer } from '../../operations/transfers.ts'
import type { Instant } from '../../rules/time.ts'
import type { BodyReader } from './read-body.ts'

/** Reads what is reported of a transfer's money and sender; `field` is its name in refusals. */
export const readReported = (
  read: BodyReader,
  transfer: Omit<NewTransfer, 'requisiteId' | 'bankReference'>,
  field: string,
  now: Instant,
) => ({
  currency: transfer.currency,
  amount: read.amount(transfer, 'amount', transfer.currency, `${field}.amount`),
  bookedAt: read.booked(transfer.bookedAt, `${field}.bookedAt`, now),
  sender: transfer.sender ?? null,
  senderName: transfer.senderName ?? null,
  senderBank: transfer.senderBank ?? null,
  text: transfer.text ?? null,
})

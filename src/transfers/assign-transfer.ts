import type { Tx } from '../context.ts'
import type { Posting } from '../domain/ledger.ts'
import type { Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import { lockPaymentsByKey } from '../payments/lock-payment.ts'
import { assignShares, type PaymentShare, refuseUnrelated } from './assign-shares.ts'
import { flagSender } from './flag-sender.ts'
import { lockTransfer, type TransferKey, waitingAmount } from './lock-transfer.ts'
import { openBooks } from './open-books.ts'
import type { Decider } from './write-parts.ts'

/** A share of a transfer for a payment; `amount` in minor units, null for all that the other shares leave of it. */
export type Share = { readonly merchantId: string; readonly paymentId: string; readonly amount: bigint | null }

const refuseUnassignable = ({ status, orderId }: Payment): void => {
  if (status === 'disput') {
    throw new Refusal('invalid_state', `${orderId} is in dispute; decide the dispute with this transfer.`)
  }
  if (status === 'canceled' || status === 'failed') {
    throw new Refusal('invalid_state', `${orderId} is ${status}; open a dispute and accept it.`)
  }
}

/** The amounts of shares, of which one may take what the others leave of the money that waits. */
const amountsOf = (shares: readonly Share[], waiting: bigint): bigint[] => {
  const rest = shares.reduce((left, { amount }) => left - (amount ?? 0n), waiting)
  const takers = shares.filter(({ amount }) => amount === null).length
  if (takers > 1) throw new Refusal('validation_failed', 'Only one share may be without an amount.')
  if (rest < 0n) throw new Refusal('validation_failed', 'The shares are more than what waits of the transfer.')
  if (takers === 1 && rest === 0n) {
    throw new Refusal('invalid_state', 'Nothing of the transfer waits for the share without an amount.')
  }
  return shares.map(({ amount }) => amount ?? rest)
}

/**
 * Assigns a transfer in the inbox to one payment or splits it over several; what is left goes on waiting. A payment that
 * is already credited keeps its share as an overpayment. Returns the ledger entries. Refuses `resource_not_found`,
 * `payment_not_found`, `validation_failed` and `invalid_state`.
 */
export const assignTransfer = async (
  tx: Tx,
  key: TransferKey,
  shares: readonly Share[],
  decider: Decider,
): Promise<readonly Posting[]> => {
  const payments = new Map((await lockPaymentsByKey(tx, shares)).map((payment) => [payment.id, payment]))
  const transfer = await lockTransfer(tx, key)
  const amounts = amountsOf(shares, waitingAmount(transfer))
  if (new Set(shares.map(({ paymentId }) => paymentId)).size < shares.length) {
    throw new Refusal('validation_failed', 'A payment is named twice.')
  }
  const assigned: PaymentShare[] = []
  for (const [index, { merchantId, paymentId }] of shares.entries()) {
    const payment = payments.get(paymentId)
    if (payment?.merchantId !== merchantId) throw new Refusal('payment_not_found', 'There is no such payment.')
    await refuseUnrelated(tx, transfer, payment)
    refuseUnassignable(payment)
    assigned.push({ payment, amount: amounts[index] ?? 0n })
  }
  const books = openBooks(tx, decider.actor)
  await assignShares(tx, books, transfer, assigned, decider)
  await books.changes.write()
  await flagSender(tx, transfer, assigned)
  return books.changes.postings()
}

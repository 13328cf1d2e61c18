import type { Tx } from '../context.ts'
import { type Payment, requisitesOf } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import { lockPaymentsOf } from '../payments/lock-payment.ts'
import { creditPayments } from '../payments/credit-payments.ts'
import { startChanges } from '../payments/start-changes.ts'
import { flagSender } from './flag-sender.ts'
import { listSharing } from '../requisites/read.ts'
import {
  type Books,
  type Decider,
  type LockedTransfer,
  lockTransferOf,
  placeTransfer,
  type TransferKey,
  waitingAmount,
} from './place-transfer.ts'

/** A share of a transfer; `amount` in minor units. */
export type Share = { readonly merchantId: string; readonly paymentId: string; readonly amount: bigint }

/** Opens the books of an operator's decision. */
export const openBooks = (tx: Tx, actor: string): Books => {
  const changes = startChanges(tx, actor)
  return { changes, credits: creditPayments(tx, changes) }
}

/** Refuses money for a payment that was not shown a requisite of the account, or is of another currency. */
export const refuseStrangeMoney = async (tx: Tx, transfer: LockedTransfer, payment: Payment): Promise<void> => {
  const { requisiteId, currency } = transfer
  const places = (await listSharing(tx, [requisiteId])).get(requisiteId) ?? [requisiteId]
  if (payment.currency !== currency || !requisitesOf(payment).some((id) => places.includes(id))) {
    throw new Refusal('invalid_state', `The payer of ${payment.orderId} was never asked to pay to this requisite.`)
  }
}

const notAssignable = (payment: Payment): Refusal | undefined => {
  if (payment.status === 'disput') {
    return new Refusal('invalid_state', `${payment.orderId} is in dispute; decide the dispute with this transfer.`)
  }
  if (payment.status === 'canceled' || payment.status === 'failed') {
    return new Refusal('invalid_state', `${payment.orderId} is ${payment.status}; open a dispute and accept it.`)
  }
  return undefined
}

/**
 * Gives a transfer that waits in the inbox to one payment or splits it over several; what is left goes on waiting. A
 * payment that is credited already keeps its share as an overpayment. Refuses `resource_not_found`, `payment_not_found`,
 * `validation_failed` and `invalid_state`.
 */
export const assignTransfer = async (
  tx: Tx,
  key: TransferKey,
  shares: readonly Share[],
  decider: Decider,
): Promise<Payment[]> => {
  const payments = new Map((await lockPaymentsOf(tx, shares)).map((payment) => [payment.id, payment]))
  const transfer = await lockTransferOf(tx, key)
  const waiting = waitingAmount(transfer)
  if (shares.reduce((sum, share) => sum + share.amount, 0n) > waiting) {
    throw new Refusal('validation_failed', 'The shares are more than what waits of the transfer.')
  }
  if (new Set(shares.map((share) => share.paymentId)).size < shares.length) {
    throw new Refusal('validation_failed', 'A payment is named twice.')
  }
  const placed: { payment: Payment; amount: bigint }[] = []
  for (const { merchantId, paymentId, amount } of shares) {
    const payment = payments.get(paymentId)
    if (payment?.merchantId !== merchantId) throw new Refusal('payment_not_found', 'There is no such payment.')
    await refuseStrangeMoney(tx, transfer, payment)
    const refusal = notAssignable(payment)
    if (refusal) throw refusal
    placed.push({ payment, amount })
  }
  const books = openBooks(tx, decider.actor)
  await placeTransfer(tx, books, transfer, placed, decider)
  await books.changes.write()
  await flagSender(tx, transfer, placed)
  return placed.map(({ payment }) => books.changes.current(payment))
}

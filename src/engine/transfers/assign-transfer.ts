import type { Tx } from '../context.ts'
import { accountDigits, senderKind } from '../../rules/values/account-number.ts'
import type { Posting } from '../../rules/money/ledger.ts'
import { endOfTime } from '../../rules/payments/receive-money.ts'
import { type Payment, requisitesOf, splitReceived } from '../../rules/payments/payment.ts'
import { invalidState, Refusal } from '../../rules/refusal.ts'
import { isPhoneReporter } from '../../rules/money/settlement.ts'
import { usdt } from '../../rules/values/currency.ts'
import { isQuotedHigh, lowestPriceMs, readLowestPrice } from '../merchants/rates/rate.ts'
import { lockPaymentsByKey } from '../payments/lock-payment.ts'
import { listSharing } from '../requisites/read.ts'
import { flagSenders } from '../risk/flag-senders.ts'
import {
  type Assigner,
  type Books,
  decidedPart,
  type LockedTransfer,
  lockTransfer,
  openBooks,
  type TransferKey,
  waitingAmount,
  writeParts,
} from './transfer-parts.ts'
import { openSealed } from './sealed-transfers.ts'
import { findReportedText, type TransferPart } from './store.ts'
import { isCalledSeparate, noteLoneWord, printBound } from './lone-reports/hold-lone-reports.ts'

/** A share of a transfer for a payment; `amount` in minor units, null for what the other shares leave of it. */
export type Share = { readonly merchantId: string; readonly paymentId: string; readonly amount: bigint | null }

const refuseUnassignable = ({ status, orderId }: Payment): void => {
  if (status === 'disput') throw invalidState(`${orderId} is in dispute; decide the dispute with this transfer.`)
  if (status === 'canceled' || status === 'failed') {
    throw invalidState(`${orderId} is ${status}; open a dispute and accept it.`)
  }
}

/** The amounts of shares; one share may take what the others leave of the waiting money. */
const amountsOf = (shares: readonly Share[], waiting: bigint): bigint[] => {
  const rest = shares.reduce((left, { amount }) => left - (amount ?? 0n), waiting)
  const takers = shares.filter(({ amount }) => amount === null).length
  if (takers > 1) throw new Refusal('validation_failed', 'Only one share may be without an amount.')
  if (rest < 0n) throw new Refusal('validation_failed', 'The shares add up to more than what waits of the transfer.')
  if (takers === 1 && rest === 0n) throw invalidState('The other shares leave nothing for the share without an amount.')
  return shares.map(({ amount }) => amount ?? rest)
}

export type Assigned = {
  readonly postings: readonly Posting[]
  readonly payments: readonly { readonly before: Payment; readonly after: Payment }[]
  readonly made: number
}

/** Ends payments whose time to pay is over with the money that they now have, as the job would a second later. */
const endDuePayments = (tx: Tx, { changes }: Books, shares: readonly PaymentShare[]): void => {
  for (const { payment } of shares) {
    const change = endOfTime(changes.current(payment), tx.now)
    if (change) changes.change(payment, change)
  }
}

/**
 * Assigns a transfer in the inbox to payments; the rest stays in the inbox. A credited payment keeps its share as an
 * overpayment, and one whose time to pay is over ends with its share. Refuses `resource_not_found`,
 * `payment_not_found`, `validation_failed` and `invalid_state`.
 */
export const assignTransfer = async (
  tx: Tx,
  key: TransferKey,
  shares: readonly Share[],
  decider: Assigner,
): Promise<Assigned> => {
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
  const made = await assignShares(tx, books, transfer, assigned, decider)
  endDuePayments(tx, books, assigned)
  await books.changes.write()
  await flagSender(tx, transfer, assigned)
  return {
    postings: books.changes.postings(),
    payments: assigned.map(({ payment }) => ({ before: payment, after: books.changes.current(payment) })),
    made,
  }
}

/** What a locked payment gets of a transfer; `amount` in minor units. */
export type PaymentShare = { readonly payment: Payment; readonly amount: bigint }

/** Refuses `invalid_state` for a payment in another currency, or one that never asked for money on this account. */
export const refuseUnrelated = async (
  tx: Tx,
  { requisiteId, currency }: LockedTransfer,
  payment: Payment,
): Promise<void> => {
  const requisiteIds = (await listSharing(tx, [requisiteId])).get(requisiteId) ?? [requisiteId]
  if (payment.currency === currency && requisitesOf(payment).some((id) => requisiteIds.includes(id))) return
  throw invalidState(`The payer of ${payment.orderId} was never asked to pay to this requisite.`)
}

/** Whether a payment is credited more than the bounds count for its money (`isQuotedHigh`). */
const isAnyQuotedHigh = async (
  tx: Tx,
  { reportedAloneAt }: LockedTransfer,
  shares: readonly PaymentShare[],
): Promise<boolean> => {
  for (const { payment } of shares) if (await isQuotedHigh(tx, payment, reportedAloneAt ?? tx.now)) return true
  return false
}

/** Whether payments have older rates than those by which one person's bound was measured, or later, lower ones. */
const isWorthMore = async (tx: Tx, transfer: LockedTransfer, shares: readonly PaymentShare[]): Promise<boolean> => {
  const reportedAt = transfer.reportedAloneAt ?? tx.now
  const payments = shares.map(({ payment }) => payment)
  if (payments.some(({ createdAt }) => createdAt < tx.now - lowestPriceMs)) return true
  const later = payments.filter(({ createdAt, quoteCurrency }) => createdAt > reportedAt && quoteCurrency === usdt)
  for (const { currency, ratePrice } of later) {
    const lowest = await readLowestPrice(tx, currency, reportedAt)
    if (lowest === 0n || ratePrice < lowest) return true
  }
  return isAnyQuotedHigh(tx, transfer, shares)
}

/**
 * Refuses `second_person_required` for money beyond its bound that only a phone has reported: who assigns it says that
 * it came, which has the bound of that operator's own reports.
 */
const refuseUnproven = async (
  tx: Tx,
  transfer: LockedTransfer,
  shares: readonly PaymentShare[],
  decider: Assigner,
): Promise<void> => {
  const lone = await decider.loneReport(tx)
  if (lone === null) return
  const isBeyond = await noteLoneWord(tx, lone, transfer)
  if (!isBeyond && !(await isAnyQuotedHigh(tx, transfer, shares))) return
  throw new Refusal(
    'second_person_required',
    `Only a message on a phone reports it, and one person may assign ${printBound(lone)} of such money within 24 hours: let another operator assign it, or wait for the statement.`,
  )
}

/** Refuses `second_person_required` beyond the bound for what only the decider reported, or calls separate money. */
const refuseAlone = async (
  tx: Tx,
  transfer: LockedTransfer,
  shares: readonly PaymentShare[],
  decider: Assigner,
): Promise<void> => {
  const { reportedBy, secondPerson, duplicateOf } = transfer
  if (reportedBy !== null && (secondPerson || (await isWorthMore(tx, transfer, shares))))
    await (isPhoneReporter(reportedBy)
      ? refuseUnproven(tx, transfer, shares, decider)
      : decider.refuseOnePerson(tx, reportedBy))
  const isSeparate = duplicateOf === null || (await isCalledSeparate(tx, transfer, decider.actor))
  const lone = isSeparate ? null : await decider.loneReport(tx)
  if (lone === null) return
  const isBeyond = await noteLoneWord(tx, lone, transfer)
  if (!isBeyond && !(await isAnyQuotedHigh(tx, transfer, shares))) return
  const isOther = reportedBy !== decider.actor && reportedBy !== null && !isPhoneReporter(reportedBy)
  const reporter = isOther ? reportedBy.replace(/^operator:/, '') : null
  const next = reporter
    ? `let ${reporter}, who has reported it, ignore it as other money first`
    : 'ignore it as other money, return it to the inbox, and let another operator assign it'
  throw new Refusal(
    'second_person_required',
    `It may be the same money as transfer ${duplicateOf}, and one person may call ${printBound(lone)} separate money within 24 hours: ${next}.`,
  )
}

/**
 * Assigns the waiting money of a locked transfer to payments, which are credited as if the bank had reported their
 * shares, which must not exceed it; the rest stays in the inbox. Returns how many parts that made. Refuses
 * `invalid_state` if nothing waits, and `second_person_required` beyond what one person may.
 */
export const assignShares = async (
  tx: Tx,
  { credits }: Books,
  transfer: LockedTransfer,
  shares: readonly PaymentShare[],
  decider: Assigner,
): Promise<number> => {
  await refuseAlone(tx, transfer, shares, decider)
  const { id: transferId, requisiteId, currency, senderMasked } = transfer
  const rest = shares.reduce((left, { amount }) => left - amount, waitingAmount(transfer))
  const kept = transfer.parts.filter(({ kind }) => kind !== 'suspense')
  const assigned: TransferPart[] = []
  for (const { payment, amount } of shares) {
    const received = splitReceived(credits.current(payment), amount)
    credits.release(currency, { transferId, requisiteId, amount })
    await credits.receive(payment, { transferId, requisiteId, amount }, transfer, senderMasked)
    assigned.push(...received.map((part) => decidedPart(part.kind, part.amount, payment, 'assigned', decider)))
  }
  const waiting = rest > 0n ? [decidedPart('suspense', rest, null, 'none', decider)] : []
  await writeParts(tx, transfer, [...kept, ...assigned, ...waiting])
  return assigned.length
}

/** Judges the sender of an assigned transfer, as `recordTransfers` does. Call it last in the transaction. */
export const flagSender = async (
  tx: Tx,
  { requisiteId, id, currency }: LockedTransfer,
  shares: readonly PaymentShare[],
): Promise<void> => {
  const [sent] = await tx.query(findReportedText, { requisiteId, id })
  const number = openSealed(tx, 'sender_sealed', id, sent?.senderSealed ?? null)
  const kind = number === null ? undefined : senderKind(number)
  if (number === null || kind === undefined) return
  const indexes = tx.vault.blindIndexes('payer', accountDigits(number))
  const payers = [{ kind, index: indexes[0] ?? '', indexes, userId: null }]
  await flagSenders(
    tx,
    shares.map(({ payment, amount }) => {
      return { merchantId: payment.merchantId, paymentId: payment.id, currency, amount, payers }
    }),
  )
}

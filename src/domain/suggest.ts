import { acceptUntil, creditedStatuses, type Payment } from './payment.ts'
import { minute } from './time.ts'
import type { Candidate, IncomingTransfer } from './match.ts'

/** What of a payment fits a transfer, each part with its points; they add up to 100 at most. */
export type ScoreParts = Readonly<
  Record<'amount' | 'time' | 'sender' | 'status', number> & Partial<Record<'text' | 'bank', number>>
>

/** A payment that a person may choose for a transfer, best first, with the parts of its score and why it has them. */
export type Suggestion = {
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId: string
  readonly score: number
  readonly parts: ScoreParts
  /** One sentence for each part that speaks for it; absent in suggestions that were stored without. */
  readonly reasons?: readonly string[]
}

type Part = { readonly points: number; readonly reason?: string }

const missing = (payment: Payment): bigint => payment.amount - payment.received

const amountPart = ({ amount }: IncomingTransfer, payment: Payment): Part => {
  const wanted = missing(payment)
  const larger = amount > payment.amount ? amount : payment.amount
  const distance = amount > wanted ? amount - wanted : wanted - amount
  if (distance === 0n) return { points: 35, reason: 'exactly the amount that is missing' }
  if (distance >= larger) return { points: 0 }
  const points = Number(((larger - distance) * 35n) / larger)
  return points < 32 ? { points } : { points, reason: 'nearly the amount that is missing' }
}

/** How near to "I have paid" the bank must have booked the money to speak for the payment. */
const nearClaimMs = 15 * minute

const timePart = ({ bookedAt }: IncomingTransfer, payment: Payment): Part => {
  const { claimedAt } = payment
  if (claimedAt !== null && Math.abs(bookedAt - claimedAt) <= nearClaimMs) {
    return { points: 15, reason: 'booked when its payer said "I have paid"' }
  }
  return bookedAt <= acceptUntil(payment) ? { points: 10, reason: 'booked in time' } : { points: 3 }
}

const lastDigits = (number: string): string => number.replace(/\D/g, '').slice(-4)

const senderPart = ({ senderIndex, senderDigits = '' }: IncomingTransfer, { payment, payerIndex }: Candidate): Part => {
  if (senderIndex !== null && senderIndex === payerIndex)
    return { points: 25, reason: 'sent from the number of its payer' }
  const digits = lastDigits(payment.sourcePan)
  const isAlike = digits.length === 4 && lastDigits(senderDigits) === digits
  return isAlike ? { points: 12, reason: 'sent from a number that ends like that of its payer' } : { points: 0 }
}

const textPart = ({ text }: IncomingTransfer, { orderId, id }: Payment): Part => {
  if (text === undefined) return { points: 0 }
  const words = text.toLowerCase().split(/[^\p{L}\p{N}_-]+/u)
  const isNamed = orderId.length >= 3 && words.includes(orderId.toLowerCase())
  return isNamed || words.includes(id) ? { points: 15, reason: 'its order is named in the text' } : { points: 0 }
}

const bankPart = ({ senderBank }: IncomingTransfer, { payerBank }: Payment): Part =>
  senderBank !== undefined && senderBank === payerBank
    ? { points: 5, reason: 'sent from the bank that its payer chose' }
    : { points: 0 }

const statusPart = ({ status }: Payment): Part => {
  if (status === 'disput') return { points: 5, reason: 'its payer or merchant claims the money' }
  return { points: creditedStatuses.has(status) || status === 'canceled' || status === 'failed' ? 0 : 5 }
}

const suggestOne = (transfer: IncomingTransfer, candidate: Candidate): Suggestion => {
  const { payment } = candidate
  const found = {
    amount: amountPart(transfer, payment),
    time: timePart(transfer, payment),
    sender: senderPart(transfer, candidate),
    text: textPart(transfer, payment),
    bank: bankPart(transfer, payment),
    status: statusPart(payment),
  }
  const { amount, time, sender, text, bank, status } = found
  const parts = {
    amount: amount.points,
    time: time.points,
    sender: sender.points,
    text: text.points,
    bank: bank.points,
    status: status.points,
  }
  const each = Object.values(found)
  return {
    merchantId: payment.merchantId,
    paymentId: payment.id,
    orderId: payment.orderId,
    score: each.reduce((sum, part) => sum + part.points, 0),
    parts,
    reasons: each.flatMap(({ reason }) => (reason === undefined ? [] : [reason])),
  }
}

/** The ten payments that fit a transfer best. */
export const suggest = (transfer: IncomingTransfer, candidates: readonly Candidate[]): Suggestion[] =>
  candidates
    .map((candidate) => suggestOne(transfer, candidate))
    .toSorted((a, b) => b.score - a.score || (a.paymentId < b.paymentId ? -1 : 1))
    .slice(0, 10)

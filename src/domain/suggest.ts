import { earliestOf, mayBeBookedBy } from './booked-time.ts'
import { type Candidate, type IncomingTransfer, isSentByPayer, missingAmount } from './candidate.ts'
import { amountDigits } from './currency.ts'
import { compareNames } from './payer-name.ts'
import { acceptUntil, creditedStatuses } from './payment.ts'
import { findSplits } from './split.ts'
import { minute } from './time.ts'

type PartName = 'amount' | 'time' | 'sender' | 'name' | 'text' | 'bank' | 'status'

/** How well a payment fits a transfer, in points that add up to 100 at most. */
type ScoreParts = Readonly<Record<PartName, number>>

/** What one payment of a split gets; `amount` is decimal text. */
type SplitShare = {
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId: string
  readonly amount: string
}

/** A payment that an operator may choose for a transfer, with the parts of its score. */
export type Suggestion = {
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId: string
  readonly score: number
  readonly parts: ScoreParts
  /** One sentence for each part of the score. */
  readonly reasons: readonly string[]
  /** The payments of one payer that the money is for together, including this one. */
  readonly split?: readonly SplitShare[]
}

type Part = { readonly points: number; readonly reason?: string }

/** "I have paid" this close to the booking is evidence for the payment. */
const nearClaimMs = 15 * minute

/** Points for the right amount. */
const mostForAmount = 30

const lastDigits = (number: string): string => number.replace(/\D/g, '').slice(-4)

const scorers: Readonly<Record<PartName, (transfer: IncomingTransfer, candidate: Candidate) => Part>> = {
  amount: ({ amount }, { payment }) => {
    const wanted = missingAmount(payment)
    if (wanted <= 0n)
      return amount === payment.amount
        ? { points: mostForAmount / 2, reason: 'the amount of a payment that is paid already' }
        : { points: 0 }
    const larger = amount > wanted ? amount : wanted
    const distance = amount > wanted ? amount - wanted : wanted - amount
    if (distance === 0n) return { points: mostForAmount, reason: 'exactly the amount that is missing' }
    if (distance >= larger) return { points: 0 }
    const points = Number(((larger - distance) * BigInt(mostForAmount)) / larger)
    return points < 27 ? { points } : { points, reason: 'nearly the amount that is missing' }
  },
  time: (transfer, { payment }) => {
    const { bookedAt } = transfer
    const { claimedAt } = payment
    const isTimed = earliestOf(transfer) === bookedAt
    if (isTimed && claimedAt !== null && Math.abs(bookedAt - claimedAt) <= nearClaimMs) {
      return { points: 15, reason: 'booked when its payer said "I have paid"' }
    }
    if (bookedAt <= acceptUntil(payment)) return { points: 10, reason: 'booked in time' }
    if (mayBeBookedBy(transfer, acceptUntil(payment)))
      return { points: 8, reason: 'booked on a day of its time to pay' }
    return { points: 3 }
  },
  sender: (transfer, candidate) => {
    const { senderMasked = '' } = transfer
    const { payment } = candidate
    if (isSentByPayer(transfer, candidate)) {
      return { points: 20, reason: 'sent from the number of its payer' }
    }
    const digits = lastDigits(payment.sourcePan)
    const isAlike = digits.length === 4 && lastDigits(senderMasked) === digits
    return isAlike ? { points: 10, reason: 'sent from a number that ends like that of its payer' } : { points: 0 }
  },
  name: ({ senderName }, { payerNames = [] }) => {
    const found = new Set(payerNames.map((name) => compareNames(senderName ?? '', name)))
    if (found.has('same')) return { points: 10, reason: 'sent by the name from which its user has paid before' }
    return found.has('alike')
      ? { points: 7, reason: 'sent by a name like that from which its user has paid before' }
      : { points: 0 }
  },
  text: ({ text }, { payment: { orderId, id } }) => {
    const words = (text ?? '').toLowerCase().split(/[^\p{L}\p{N}_-]+/u)
    const isNamed = orderId.length >= 3 && words.includes(orderId.toLowerCase())
    return isNamed || words.includes(id) ? { points: 15, reason: 'its order is named in the text' } : { points: 0 }
  },
  bank: ({ senderBank }, { payment }) =>
    (senderBank ?? null) !== null && senderBank === payment.payerBank
      ? { points: 5, reason: 'sent from the bank that its payer chose' }
      : { points: 0 },
  status: (_transfer, { payment: { status } }) => {
    if (status === 'disput') return { points: 5, reason: 'its payer or merchant claims the money' }
    return { points: creditedStatuses.has(status) || status === 'canceled' || status === 'failed' ? 0 : 5 }
  },
}

const toShare = ({ payment }: Candidate): SplitShare => ({
  ...{ merchantId: payment.merchantId, paymentId: payment.id, orderId: payment.orderId },
  amount: amountDigits(missingAmount(payment), payment.currency),
})

const suggestOne = (transfer: IncomingTransfer, candidate: Candidate, split: readonly Candidate[] = []): Suggestion => {
  const { merchantId, id: paymentId, orderId } = candidate.payment
  const exact = { points: mostForAmount, reason: `exactly the amount that ${split.length} payments of its payer lack` }
  const scored = Object.entries(scorers).map(([name, score]) => ({
    name,
    ...(name === 'amount' && split.length > 0 ? exact : score(transfer, candidate)),
  }))
  return {
    ...{ merchantId, paymentId, orderId },
    score: scored.reduce((sum, part) => sum + part.points, 0),
    parts: Object.fromEntries(scored.map(({ name, points }) => [name, points])) as ScoreParts,
    reasons: scored.flatMap(({ reason }) => (reason === undefined ? [] : [reason])),
    ...(split.length > 0 ? { split: split.map(toShare) } : {}),
  }
}

/** Most payments suggested for a transfer. */
export const mostSuggestions = 10

/** The ten payments that fit a transfer best, the best first; payments that it pays together name each other. */
export const suggest = (transfer: IncomingTransfer, candidates: readonly Candidate[]): Suggestion[] => {
  const splits = findSplits(transfer, candidates)
  return candidates
    .map((candidate) =>
      suggestOne(
        transfer,
        candidate,
        splits.find((split) => split.includes(candidate)),
      ),
    )
    .toSorted((a, b) => b.score - a.score || (a.paymentId < b.paymentId ? -1 : 1))
    .slice(0, mostSuggestions)
}

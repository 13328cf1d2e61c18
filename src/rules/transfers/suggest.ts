import { type Candidate, type IncomingTransfer, missingAmount } from './candidate.ts'
import { amountDigits, distanceOf } from '../values/currency.ts'
import { type Evidence, type Judgement, type Judged, weightOf } from './evidence.ts'
import { maskNumber, maskPayer } from '../values/masking.ts'
import { creditedStatuses, openStatuses, payableStatuses } from '../payments/payment.ts'
import { findSplits } from './split.ts'
import type { Instant } from '../time.ts'

type SplitShare = {
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId: string
  readonly amount: string
}

export type Suggestion = {
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId: string
  /** The money that the payment needs, as decimal text; for a credited one, its amount. */
  readonly amount: string
  /** How much more the transfer brings than that, with its sign: `-43.07`. */
  readonly difference: string
  /** The payer, as far as known: initials, and the masked number. */
  readonly payer: string | null
  readonly createdAt: Instant
  readonly evidence: Evidence
  /** The payments of one payer that the money is for together, including this one. */
  readonly split?: readonly SplitShare[]
}

export const mostSuggestions = 10

const neededAmount = ({ payment }: Candidate): bigint =>
  creditedStatuses.has(payment.status) ? payment.amount : missingAmount(payment)

/** Whether one amount is half of the other, to a minor unit: people pay in two halves, or for two in one transfer. */
const isHalf = (one: bigint, other: bigint): boolean => one * 2n - other <= 1n && other - one * 2n <= 1n

/** Whether money is half or double of what is needed. */
export const isHalfOrDouble = (amount: bigint, needed: bigint): boolean =>
  isHalf(amount, needed) || isHalf(needed, amount)

/** Points by which suggestions are ranked before the difference of their amounts: what identifies a payer counts most. */
const rankOf = (transfer: IncomingTransfer, { candidate, evidence }: Judged): number => {
  const { amount, number, name, order, time } = evidence
  const needed = neededAmount(candidate)
  const against = [amount, number, name, order, time].filter(({ verdict }) => verdict === 'contradicts')
  const points = (judgement: Judgement, most: number): number => Math.max(0, weightOf(judgement)) * most
  const ofAmount = amount.verdict === 'proves' ? 4 : 0
  const ofHalf = isHalfOrDouble(transfer.amount, needed) ? 2 : 0
  const ofPayer = points(number, 3) + points(name, 3) + points(order, 6) + points(time, 1)
  return ofAmount + ofHalf + ofPayer - 6 * against.length
}

const waitsOf = ({ candidate: { payment } }: Judged): number => {
  if (openStatuses.has(payment.status)) return 2
  return payableStatuses.has(payment.status) || payment.status === 'disput' ? 1 : 0
}

const payerOf = ({ payment, payerName, paidNames = [], payerNames = [] }: Candidate): string | null => {
  const name = payerName ?? paidNames[0] ?? payerNames[0]
  const known = [
    ...(name ? [maskPayer(name)] : []),
    ...(payment.sourcePan === '' ? [] : [maskNumber(payment.sourcePan)]),
  ]
  return known.length === 0 ? null : known.join(', ')
}

const orderOf = ({ payment: { merchantId, id: paymentId, orderId } }: Candidate) => ({ merchantId, paymentId, orderId })

const toShare = (candidate: Candidate): SplitShare => ({
  ...orderOf(candidate),
  amount: amountDigits(missingAmount(candidate.payment), candidate.payment.currency),
})

const toSuggestion = (
  { amount, currency }: IncomingTransfer,
  { candidate, evidence }: Judged,
  split: readonly Candidate[] | undefined,
): Suggestion => {
  const needed = neededAmount(candidate)
  const exact: Judgement | undefined = split && {
    verdict: 'supports',
    why: `exactly the amount that ${split.length} payments of its payer lack together`,
  }
  return {
    ...orderOf(candidate),
    createdAt: candidate.payment.createdAt,
    amount: amountDigits(needed, currency),
    difference: amountDigits(amount - needed, currency),
    payer: payerOf(candidate),
    evidence: exact ? { ...evidence, amount: exact } : evidence,
    ...(split ? { split: split.map(toShare) } : {}),
  }
}

/** Whether a payment needs no more money: it is credited, with another amount or before its account was free again. */
const isDone = ({ candidate, evidence: { amount, order, time } }: Judged): boolean =>
  creditedStatuses.has(candidate.payment.status) &&
  weightOf(order) <= 0 &&
  (amount.verdict === 'contradicts' || time.verdict === 'contradicts')

/** Whether one that needs no more money may still be meant: by its amount, its payer, or because it was paid in part. */
const mayBeMeant = ({ candidate: { payment }, evidence: { amount, number, name } }: Judged): boolean =>
  amount.verdict !== 'contradicts' || payment.received < payment.amount || weightOf(number) > 0 || weightOf(name) > 0

/** The payments that are worth a look: those that had begun by then, and paid ones only if there is nothing better. */
const worthShowing = ({ bookedAt }: IncomingTransfer, all: readonly Judged[]): readonly Judged[] => {
  const begun = all.filter(
    ({ candidate, evidence }) => evidence.time.verdict !== 'contradicts' || candidate.takenAt <= bookedAt,
  )
  const open = begun.filter((each) => !isDone(each))
  return open.length > 0 ? open : begun.filter(mayBeMeant)
}

/**
 * The ten payments that fit a transfer best, the best first: by what identifies the payer, then by the difference of
 * the amounts, then by whether they wait, by bank and age. Payments that it pays together name each other and come first.
 */
export const suggest = (transfer: IncomingTransfer, all: readonly Judged[]): Suggestion[] => {
  const splits = findSplits(
    transfer,
    all.map(({ candidate }) => candidate),
  )
  const compare = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b))
  return worthShowing(transfer, all)
    .map((judged) => {
      const split = splits.find((each) => each.includes(judged.candidate))
      const rank = rankOf(transfer, judged) + (split ? 10 : 0)
      return { judged, split, rank, distance: split ? 0n : distanceOf(transfer.amount, neededAmount(judged.candidate)) }
    })
    .toSorted(
      (a, b) =>
        b.rank - a.rank ||
        compare(a.distance, b.distance) ||
        waitsOf(b.judged) - waitsOf(a.judged) ||
        weightOf(b.judged.evidence.bank) - weightOf(a.judged.evidence.bank) ||
        b.judged.candidate.payment.createdAt - a.judged.candidate.payment.createdAt ||
        (a.judged.candidate.payment.id < b.judged.candidate.payment.id ? -1 : 1),
    )
    .slice(0, mostSuggestions)
    .map(({ judged, split }) => toSuggestion(transfer, judged, split))
}

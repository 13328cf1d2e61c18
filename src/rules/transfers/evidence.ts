import { earliestOf, mayBeBookedBy } from '../values/booked-time.ts'
import {
  type Candidate,
  type IncomingTransfer,
  isExactAmount,
  isInBounds,
  isMissing,
  missingAmount,
  payerKeys,
  replacesPart,
  senderIndexesOf,
} from './candidate.ts'
import { amountDigits, distanceOf } from '../values/currency.ts'
import { codedPayments, namedByMany, namedPayments } from './named-order.ts'
import { compareNames, mayBeOneName, readName } from '../values/payer-name.ts'
import { acceptUntil, creditedStatuses } from '../payments/payment.ts'
import { type Instant, minute } from '../time.ts'

export const criteria = ['amount', 'number', 'name', 'order', 'bank', 'time'] as const
export type Criterion = (typeof criteria)[number]

/** What one criterion says about a payment; `unknown` if there is nothing to compare. */
export const verdicts = ['proves', 'supports', 'unknown', 'contradicts'] as const
export type Verdict = (typeof verdicts)[number]

/** The verdict of one criterion, and why, in words for an operator. */
export type Judgement = { readonly verdict: Verdict; readonly why: string }

export type Evidence = Readonly<Record<Criterion, Judgement>>

export type Judged = {
  readonly candidate: Candidate
  readonly evidence: Evidence
  /** What excludes the payment for certain; `amount` only if nothing else does. */
  readonly excludedBy: Criterion | null
  /**
   * Whether it is contradicted only by the name or number that its payer has typed, or by the order of another merchant.
   * Some people mistype, or pay from the account of somebody else, so the money may still be its payer's.
   */
  readonly isDoubtful: boolean
}

const proves = (why: string): Judgement => ({ verdict: 'proves', why })
const supports = (why: string): Judgement => ({ verdict: 'supports', why })
const unknown = (why: string): Judgement => ({ verdict: 'unknown', why })
const contradicts = (why: string): Judgement => ({ verdict: 'contradicts', why })

/** A bank's clock may be this much behind ours: money booked this long before its payment is still considered. */
export const bankClockSkewMs = 2 * minute

/** "I have paid" this close to the booking is evidence for the payment. */
const nearClaimMs = 15 * minute

const isCredited = ({ payment }: Candidate): boolean => creditedStatuses.has(payment.status)

const judgeAmount = (transfer: IncomingTransfer, candidate: Candidate): Judgement => {
  const { payment } = candidate
  const { amount } = transfer
  if (isExactAmount(transfer, payment)) {
    if (isCredited(candidate)) return proves('the amount of a payment that is paid already')
    return proves(
      amount === missingAmount(payment)
        ? 'exactly the amount that is missing'
        : 'its whole amount, a part of which came',
    )
  }
  if (isCredited(candidate)) return contradicts('the payment is paid, with another amount')
  if (isMissing(transfer, payment) || replacesPart(transfer, payment))
    return supports('the amount within the tolerance')
  const missing = missingAmount(payment)
  const away = amountDigits(distanceOf(amount, missing), payment.currency)
  const how = amount > missing ? `${away} more than is missing` : `${away} less than is missing`
  return isInBounds(transfer, payment) ? unknown(how) : contradicts(`${how}: further than its terms allow`)
}

const heldFrom = ({ takenAt, heldUntil }: Candidate, transfer: IncomingTransfer, earliestAt: Instant): boolean => {
  // The last moment of a day is not a real time: a payment that began on the next day is not what the money was for.
  const isTimed = (transfer.earliestAt ?? null) === null
  return takenAt <= transfer.bookedAt + (isTimed ? bankClockSkewMs : 0) && earliestAt < heldUntil
}

const judgeTime = (transfer: IncomingTransfer, candidate: Candidate): Judgement => {
  const { payment, takenAt } = candidate
  const { bookedAt, bookedOn } = transfer
  // Money with only a day may not be a second transfer for an amount that was released on that day.
  if (!heldFrom(candidate, transfer, isCredited(candidate) ? bookedAt : earliestOf(transfer))) {
    return contradicts(
      takenAt > bookedAt ? 'booked before the payment began' : 'booked after its account was free again',
    )
  }
  const limit = acceptUntil(payment)
  const isTimed = earliestOf(transfer) === bookedAt
  const { claimedAt } = payment
  if (isTimed && claimedAt !== null && Math.abs(bookedAt - claimedAt) <= nearClaimMs) {
    return supports('booked when its payer said "I have paid"')
  }
  if (bookedAt <= limit) return unknown('booked in its time to pay')
  return mayBeBookedBy(transfer, limit)
    ? unknown(`booked some time on ${bookedOn ?? 'a day'}, part of which was in its time to pay`)
    : unknown('booked after the time to pay, inside the late window')
}

const digitsOf = (number: string): string => number.replace(/\D/g, '').slice(-4)

/** Masked numbers have fewer digits: strangers may share those that are left. */
const shortestWhole = 11

/** Whether the bank reports the whole number of the sender, if any. */
export const isWholeNumber = ({ senderMasked }: IncomingTransfer): boolean =>
  senderMasked === undefined || senderMasked.length >= shortestWhole

const judgeNumber = (transfer: IncomingTransfer, candidate: Candidate): Judgement => {
  const { payment, payerIndex } = candidate
  const { senderIndex, senderMasked = '', paidBefore } = transfer
  if (senderIndex === null) return unknown('the bank reports no number')
  const [own, given] = [digitsOf(payment.sourcePan), digitsOf(senderMasked)]
  if (!isWholeNumber(transfer)) {
    return own.length === 4 && own === given
      ? supports('sent from a number that ends like that of its payer')
      : unknown('the bank reports only a part of the number')
  }
  const known = payerKeys(payment).findIndex((key) => paidBefore?.has(key))
  if (known === 0) return proves('this payment received money from the number before')
  if (known > 0) return proves('its user has paid from the number before')
  if (payerIndex !== null && senderIndexesOf(transfer).includes(payerIndex)) {
    return supports('sent from the number that its payer has given')
  }
  const isComparable = payment.sourcePan.length === senderMasked.length && senderMasked !== ''
  if (payerIndex !== null && payment.payerChanges > 0) return unknown('its payer has given several numbers')
  if (payerIndex !== null) {
    return isComparable || senderMasked === ''
      ? contradicts('sent from another number than its payer has given')
      : unknown('the payer has given a number of another kind')
  }
  return isCredited(candidate) && isComparable && own !== given
    ? contradicts('it was paid from another number')
    : unknown('the number of its payer is not known')
}

const judgeName = ({ senderName }: IncomingTransfer, candidate: Candidate): Judgement => {
  const { payerName, paidNames = [], payerNames = [] } = candidate
  if (!senderName) return unknown('the bank reports no name')
  // The rest of a payment may come from somebody else, but a paid one is paid again by the same payer.
  const own = isCredited(candidate) && paidNames.length > 0 ? paidNames : payerName ? [payerName] : []
  const isAlike = (name: string): boolean => compareNames(senderName, name) !== 'different'
  if (own.some(isAlike)) return supports('sent by the name of its payer')
  const read = readName(senderName)
  if (own.length > 0 && own.every((name) => !mayBeOneName(readName(name), read))) {
    return contradicts('sent by another name than that of its payer')
  }
  const earlier = [...paidNames, ...payerNames]
  if (earlier.some(isAlike)) return supports('sent by a name from which its user has paid before')
  return unknown(own.length + earlier.length > 0 ? 'the names may be one' : 'the name of its payer is not known')
}

const judgeBank = ({ senderBank }: IncomingTransfer, candidate: Candidate): Judgement => {
  const { payment, paidBanks = [] } = candidate
  if (!senderBank) return unknown('the bank of the sender is not reported')
  if (isCredited(candidate) && paidBanks.length > 0) {
    return paidBanks.includes(senderBank)
      ? supports('it was paid from the same bank')
      : contradicts('it was paid from another bank')
  }
  if (senderBank === payment.payerBank) return supports('sent from the bank that its payer chose')
  // People choose one bank on the page and pay from another one, so this contradicts nothing.
  return unknown(payment.payerBank === null ? 'its payer chose no bank' : 'sent from another bank than its payer chose')
}

const noOrder = unknown('the text names no order')

/** Whether something contradicts that a transfer is for a payment. */
export const isContradicted = ({ evidence }: Pick<Judged, 'evidence'>): boolean =>
  criteria.some((criterion) => evidence[criterion].verdict === 'contradicts')

const judged = (candidate: Candidate, evidence: Evidence): Judged => {
  // What the bank has reported of the payer of a paid payment is certain.
  const isPaid = isCredited(candidate)
  const isTyped = {
    number: !isPaid || candidate.payerIndex !== null,
    name: !isPaid || !candidate.paidNames?.length,
  }
  const mayMistype = (criterion: Criterion): boolean =>
    (criterion === 'number' || criterion === 'name') && isTyped[criterion]
  const against = criteria.filter((criterion) => evidence[criterion].verdict === 'contradicts')
  const excludedBy = against.findLast((criterion) => !mayMistype(criterion)) ?? null
  return { candidate, evidence, excludedBy, isDoubtful: excludedBy === null && against.length > 0 }
}

const judgeAlone = (transfer: IncomingTransfer, candidate: Candidate): Judged =>
  judged(candidate, {
    amount: judgeAmount(transfer, candidate),
    number: judgeNumber(transfer, candidate),
    name: judgeName(transfer, candidate),
    order: noOrder,
    bank: judgeBank(transfer, candidate),
    time: judgeTime(transfer, candidate),
  })

/** How much a verdict says for a payment. */
export const weightOf = ({ verdict }: Judgement): number =>
  ({ proves: 2, supports: 1, unknown: 0, contradicts: -1 })[verdict]

const isExact = ({ evidence }: Judged): boolean => evidence.amount.verdict === 'proves'

/**
 * Whether the sender's number does not speak for another merchant's payment instead of this one, which needs exactly the
 * money and is named by the text: a merchant may give any number, and name any user who has paid it before.
 */
export const outweighsNumber = (one: Judged, other: Judged): boolean =>
  one.candidate.payment.merchantId !== other.candidate.payment.merchantId &&
  isExact(one) &&
  !isExact(other) &&
  weightOf(one.evidence.order) > 0

/**
 * An order that the text names is the order of its sender, and no other one. Merchants choose their orders, and create
 * payments until one has the code that they want, so another merchant's payment is only doubtful then; it is excluded by
 * the code or id of one that needs the same money. It is not even doubtful if the text names it, too, if the payment that
 * is named could not get the money, or if many senders name that.
 */
const judgeOrders = (transfer: IncomingTransfer, all: readonly Judged[]): readonly Judged[] => {
  const payments = all.map(({ candidate }) => candidate.payment)
  const coded = codedPayments(transfer, payments)
  const named = namedPayments(transfer, payments)
  if (named.size === 0) return all
  const orders = [...named].map(({ orderId }) => orderId).join(', ')
  const merchants = new Set([...named].map(({ merchantId }) => merchantId))
  const able = all.filter(({ candidate: { payment }, excludedBy }) => excludedBy === null && named.has(payment))
  const byMany = namedByMany(
    transfer,
    able.map(({ candidate: { payment } }) => payment),
  )
  const meant = able.filter(({ candidate: { payment } }) => !byMany.has(payment))
  const isCodedExact = meant.some((each) => coded.has(each.candidate.payment) && isExact(each))
  return all.map((each) => {
    const { candidate, evidence } = each
    if (coded.has(candidate.payment))
      return judged(candidate, { ...evidence, order: proves('the text has its code or id') })
    if (named.has(candidate.payment))
      return judged(candidate, { ...evidence, order: supports('its order is named in the text') })
    const isOfNamed = merchants.has(candidate.payment.merchantId)
    if (meant.length === 0 && !isOfNamed) return each
    const other = judged(candidate, { ...evidence, order: contradicts(`the text names ${orders}`) })
    if (isOfNamed || (isCodedExact && isExact(each))) return other
    return { ...other, excludedBy: each.excludedBy, isDoubtful: each.excludedBy === null }
  })
}

/**
 * A number is one payer's, so money from it is not for the payments of others. That alone excludes nobody: the payer
 * may have given a stranger's number.
 */
const judgeNumbers = (transfer: IncomingTransfer, all: readonly Judged[]): readonly Judged[] => {
  if (!isWholeNumber(transfer)) return all
  // Also the payer of one that has ended may mean it, if the amount is similar: people are late, and round.
  const claiming = all.filter(
    ({ candidate, evidence: { number, amount }, excludedBy, isDoubtful }) =>
      weightOf(number) > 0 &&
      !isDoubtful &&
      amount.verdict !== 'contradicts' &&
      (excludedBy === null || (excludedBy === 'time' && candidate.takenAt <= transfer.bookedAt)),
  )
  return all.map((each) => {
    const against = claiming.filter((other) => !outweighsNumber(each, other))
    if (against.length === 0 || weightOf(each.evidence.number) !== 0) return each
    const orders = against.map(({ candidate }) => candidate.payment.orderId).join(', ')
    const number = contradicts(`sent from the number of the payer of ${orders}`)
    return { ...each, evidence: { ...each.evidence, number } }
  })
}

/** Judges payments by each criterion (docs/domain.md §6.4); an order or number of one speaks against the others. */
export const judgeCandidates = (transfer: IncomingTransfer, candidates: readonly Candidate[]): readonly Judged[] => {
  const own = candidates.filter(({ payment }) => payment.currency === transfer.currency)
  const alone = own.map((candidate) => judgeAlone(transfer, candidate))
  return judgeNumbers(transfer, judgeOrders(transfer, alone))
}

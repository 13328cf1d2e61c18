import { mayBeBookedBy } from '../values/booked-time.ts'
import {
  type Candidate,
  type IncomingTransfer,
  isExactAmount,
  isMissing,
  missingAmount,
  replacesPart,
} from './candidate.ts'
import { distanceOf } from '../values/currency.ts'
import {
  criteria,
  type Criterion,
  isContradicted,
  type Judged,
  judgeCandidates,
  outweighsNumber,
  weightOf,
} from './evidence.ts'
import { acceptUntil, creditCap, creditedStatuses, payableStatuses } from '../payments/payment.ts'
import { findSplits } from './split.ts'
import { isHalfOrDouble, suggest, type Suggestion } from './suggest.ts'

export type Match =
  | {
      readonly outcome: 'exact' | 'under' | 'over' | 'late' | 'paid-again'
      readonly candidate: Candidate
      readonly reasons: readonly string[]
    }
  | {
      readonly outcome: 'ambiguous' | 'none'
      readonly suggestions: readonly Suggestion[]
      readonly reasons: readonly string[]
    }

const isPayable = ({ candidate }: Judged): boolean => payableStatuses.has(candidate.payment.status)
const isCredited = ({ candidate }: Judged): boolean => creditedStatuses.has(candidate.payment.status)

/** Whether one user has both payments and only the first still waits: the money is for that one. */
const supersedes = (one: Judged, other: Judged): boolean => {
  const [own, others] = [one.candidate.payment, other.candidate.payment]
  const isSameUser = own.merchantId === others.merchantId && own.userIdGiven && own.userId === others.userId
  const isAmount = weightOf(one.evidence.amount) >= weightOf(other.evidence.amount)
  return isSameUser && isAmount && isPayable(one) && isCredited(other)
}

/** Whether something that the other payment lacks identifies the payer of one: its order, its number, or name and bank. */
const identifies = (one: Judged, other: Judged): boolean => {
  const weigh = (criterion: Criterion): number =>
    weightOf(one.evidence[criterion]) > 0 ? weightOf(one.evidence[criterion]) - weightOf(other.evidence[criterion]) : 0
  const { payerIndex, payment } = one.candidate
  // Merchants choose their orders, and may choose codes.
  const hasOrder = weigh('order') > 0 && payment.merchantId === other.candidate.payment.merchantId
  // Two who have given one number are one payer, or one of them has given a stranger's.
  if (payerIndex !== null && payerIndex === other.candidate.payerIndex) return hasOrder
  // That a payer pays twice is rarer than that somebody has mistyped a name.
  const isMistyped = [other.evidence.name, other.evidence.number].some((each) => weightOf(each) < 0)
  const hasName = weigh('name') > 0 && weightOf(one.evidence.bank) > 0 && isMistyped && !isCredited(one)
  const isOther = weightOf(other.evidence.number) > weightOf(one.evidence.number)
  return hasOrder || ((weigh('number') > 0 || hasName) && !isOther)
}

/** Whether money of another amount is nearer to the payment that waits than to one that was closed without money. */
const isNearer = ({ amount }: IncomingTransfer, one: Judged, other: Judged): boolean => {
  const distanceTo = ({ candidate: { payment } }: Judged): bigint => distanceOf(amount, missingAmount(payment))
  return isPayable(one) && !isPayable(other) && !isCredited(other) && distanceTo(one) < distanceTo(other)
}

/** Whether the evidence for one payment is better than that for another, which is not excluded. */
const outweighs = (transfer: IncomingTransfer, one: Judged, other: Judged): boolean => {
  const [own, others] = [one.evidence, other.evidence]
  if (supersedes(one, other)) return true
  // Who has paid once may pay for something else, or somebody else has given its number.
  if (isCredited(one) && isPayable(other) && weightOf(others.number) > 0) return false
  // Nobody pays to an account that nobody has been shown.
  const [isShown, isOtherShown] = [one, other].map(({ candidate }) => candidate.payment.requisiteShown)
  if (isShown !== isOtherShown) return isShown === true
  const [amount, otherAmount] = [weightOf(own.amount), weightOf(others.amount)]
  if (amount !== otherAmount) {
    const isOfNumber = weightOf(own.number) >= weightOf(others.number) || outweighsNumber(one, other)
    return amount > otherAmount && isOfNumber
  }
  if (isNearer(transfer, one, other)) return true
  if (other.isDoubtful) return identifies(one, other)
  // A number that somebody typed may be a stranger's, so only one that has paid before decides between equal amounts;
  // but the same payer may have typed it for another payment.
  return own.number.verdict === 'proves' && weightOf(others.number) <= 0
}

/** The only payment that nothing contradicts and whose evidence is better than that of all others. */
const findBest = (transfer: IncomingTransfer, all: readonly Judged[]): Judged | undefined => {
  const rivals = all.filter(({ excludedBy }) => excludedBy === null)
  return rivals.find(
    (one) => !isContradicted(one) && rivals.every((other) => other === one || outweighs(transfer, one, other)),
  )
}

const list = (all: readonly Judged[]): string =>
  all
    .slice(0, 5)
    .map(({ candidate }) => candidate.payment.orderId)
    .join(', ')

/** Why the best payment does not get the money without a person; `undefined` if it does. */
const findDoubt = (transfer: IncomingTransfer, best: Judged, all: readonly Judged[]): string | undefined => {
  const { payment } = best.candidate
  const { amount, number, order } = best.evidence
  if (!isPayable(best) && !isCredited(best)) {
    return `the payment that fits is ${payment.status === 'disput' ? 'in dispute' : payment.status}`
  }
  if (isCredited(best)) {
    return payment.terms.paidAgainPolicy === 'review'
      ? `payment is already ${payment.status}, and further money for it waits for an operator`
      : undefined
  }
  const isRound = ({ candidate }: Judged): boolean => isHalfOrDouble(transfer.amount, missingAmount(candidate.payment))
  const mayFit = ({ excludedBy }: Judged): boolean => excludedBy === null || excludedBy === 'amount'
  const round = all.filter((each) => each !== best && isPayable(each) && mayFit(each) && isRound(each))
  if (amount.verdict === 'proves') {
    // The rest of one payment may be the first half of another one.
    const others = payment.received > 0n ? round.filter((each) => !identifies(best, each)) : []
    return others.length > 0 ? `half or double what another payment lacks: ${list(others)}` : undefined
  }
  if (!replacesPart(transfer, payment) && payment.received + transfer.amount > creditCap(payment)) {
    return 'more than is credited without a person'
  }
  const payable = all.filter(isPayable).map(({ candidate }) => candidate)
  if (amount.verdict === 'unknown' && findSplits(transfer, payable).length > 0) {
    return 'several payments of one payer lack exactly this amount together'
  }
  const isOfOther = ({ candidate, excludedBy }: Judged): boolean =>
    candidate.payment.merchantId !== payment.merchantId && (excludedBy === null || excludedBy === 'amount')
  const isNamed = weightOf(order) > 0 && !all.some(isOfOther)
  const isFromPayer = number.verdict === 'proves' || isNamed
  const others = all.filter((each) => each !== best && isPayable(each) && each.excludedBy === 'amount')
  if (amount.verdict === 'unknown' && others.length > 0 && !isFromPayer) {
    return `not the amount that is missing, and others wait on the requisite: ${list(others)}`
  }
  // It may be for another payment of the same payer, which nobody knows to be theirs.
  if (amount.verdict === 'unknown' && round.length > 0 && !isRound(best) && !isNamed)
    return `half or double what another payment lacks: ${list(round)}`
  // Late money of another amount may be a stranger's, and would close an order whose own money still comes.
  return !mayBeBookedBy(transfer, acceptUntil(payment)) && !isFromPayer
    ? 'not the amount that is missing, and booked after the time to pay'
    : undefined
}

const explainNone = (all: readonly Judged[]): string => {
  const held = all.filter(({ evidence }) => evidence.time.verdict !== 'contradicts')
  if (held.length === 0) return 'no payment held this requisite when the money was booked'
  const possible = held.filter((each) => !isContradicted(each))
  if (possible.length > 1) return `it may be for ${possible.length} payments: ${list(possible)}`
  const rivals = held.filter(({ excludedBy }) => excludedBy === null)
  const doubtful = possible.length > 0 ? rivals.filter((each) => !possible.includes(each)) : held
  const nearest = doubtful.toSorted((a, b) => weightOf(b.evidence.amount) - weightOf(a.evidence.amount)).slice(0, 3)
  return nearest
    .flatMap(({ candidate, evidence }) => {
      const found = criteria.find((criterion) => evidence[criterion].verdict === 'contradicts')
      return found ? [`not for ${candidate.payment.orderId}: ${evidence[found].why}`] : []
    })
    .join('; ')
}

const reasonsOf = ({ evidence }: Judged): string[] =>
  criteria.flatMap((criterion) =>
    weightOf(evidence[criterion]) > 0 || criterion === 'amount' || criterion === 'time'
      ? [evidence[criterion].why]
      : [],
  )

const credit = (transfer: IncomingTransfer, best: Judged): Match => {
  const { candidate } = best
  const { payment } = candidate
  const reasons = reasonsOf(best)
  if (isCredited(best)) return { outcome: 'paid-again', candidate, reasons }
  const isReplaced = replacesPart(transfer, payment)
  const missing = isReplaced ? payment.amount : missingAmount(payment)
  const isInTime = mayBeBookedBy(transfer, acceptUntil(payment))
  if (transfer.amount === missing && !isInTime) return { outcome: 'late', candidate, reasons }
  if (isInTime && (isReplaced || isMissing(transfer, payment))) return { outcome: 'exact', candidate, reasons }
  return { outcome: transfer.amount < missing ? 'under' : 'over', candidate, reasons }
}

/**
 * Decides which payment a transfer belongs to (docs/domain.md §6.4). Never guesses: a payment gets the money if nothing
 * contradicts it and no other one has equal evidence; an amount that contradicts other evidence decides nothing.
 */
export const matchTransfer = (transfer: IncomingTransfer, candidates: readonly Candidate[]): Match => {
  const all = judgeCandidates(transfer, candidates)
  const best = findBest(transfer, all)
  const doubt = best ? findDoubt(transfer, best, all) : explainNone(all)
  if (best && doubt === undefined) return credit(transfer, best)
  const isWaiting = all.some((each) => isPayable(each) && each.evidence.time.verdict !== 'contradicts')
  // Further money for a credited payment is in doubt, although nobody waits.
  const isDoubtful = isWaiting || (best !== undefined && isCredited(best))
  return {
    outcome: isDoubtful ? 'ambiguous' : 'none',
    suggestions: suggest(transfer, all),
    reasons: [doubt ?? ''],
  }
}

/** Whether a match gives a transfer to a payment that needs exactly its amount. */
export const isForExactAmount = (
  transfer: IncomingTransfer,
  match: Match,
): match is Extract<Match, { readonly candidate: Candidate }> =>
  'candidate' in match && isExactAmount(transfer, match.candidate.payment)

/**
 * Whether a payment that needs exactly the money gets it: then payments of other amounts do not matter. They do for the
 * rest of a payment, which may be half of what another one needs.
 */
export const isFinal = (transfer: IncomingTransfer, match: Match): boolean => {
  if (!isForExactAmount(transfer, match)) return false
  const { requisiteShown, status, received } = match.candidate.payment
  return requisiteShown && (status !== 'processing' || received === 0n)
}

import { earliestOf, mayBeBookedBy } from './booked-time.ts'
import {
  type Candidate,
  type IncomingTransfer,
  isInBounds,
  isMissing,
  isSentByPayer,
  missingAmount,
  replacesPart,
} from './candidate.ts'
import { acceptUntil, creditedStatuses, payableStatuses, type Payment } from './payment.ts'
import { findSplits } from './split.ts'
import { suggest, type Suggestion } from './suggest.ts'
import { type Instant, minute } from './time.ts'

/** The result of matching a transfer; anything uncertain waits in the inbox. */
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

/** A bank's clock may be this much behind ours: money booked this long before its payment is still considered. */
export const bankClockSkewMs = 2 * minute

const isPayable = ({ payment }: Candidate): boolean => payableStatuses.has(payment.status)

const heldFrom = (candidate: Candidate, transfer: IncomingTransfer, earliestAt: Instant): boolean => {
  // The last moment of a day is not a real time: a payment that began on the next day is not what the money was for.
  const isTimed = (transfer.earliestAt ?? null) === null
  const latestAt = transfer.bookedAt + (isTimed ? bankClockSkewMs : 0)
  return candidate.takenAt <= latestAt && earliestAt < candidate.heldUntil
}

/** Why money with only a day counts as in time although the day ended later. */
const favour = (transfer: IncomingTransfer, payment: Payment): string[] => {
  const limit = acceptUntil(payment)
  if (transfer.bookedAt <= limit || !mayBeBookedBy(transfer, limit)) return []
  return [`booked some time on ${transfer.bookedOn ?? 'a day'}, part of which was in its time to pay`]
}

const certain = (transfer: IncomingTransfer, candidate: Candidate, reasons: readonly string[]): Match => {
  const { payment } = candidate
  if (creditedStatuses.has(payment.status)) {
    const why = `payment is already ${payment.status}`
    if (payment.terms.paidAgainPolicy !== 'review') {
      return { outcome: 'paid-again', candidate, reasons: [...reasons, why] }
    }
    const review = `${why}, and further money for it waits for an operator`
    return { outcome: 'ambiguous', suggestions: suggest(transfer, [candidate]), reasons: [...reasons, review] }
  }
  const isReplaced = replacesPart(transfer, payment)
  const missing = isReplaced ? payment.amount : missingAmount(payment)
  if (transfer.amount === missing && !mayBeBookedBy(transfer, acceptUntil(payment))) {
    return { outcome: 'late', candidate, reasons: [...reasons, 'booked after the time to pay, inside the late window'] }
  }
  const why = [...reasons, ...favour(transfer, payment)]
  const isTolerated = (isReplaced || isMissing(transfer, payment)) && mayBeBookedBy(transfer, acceptUntil(payment))
  if (isTolerated) return { outcome: 'exact', candidate, reasons: why }
  return { outcome: transfer.amount < missing ? 'under' : 'over', candidate, reasons: why }
}

/** The match among candidates that fit for one reason: the only one, or the only one from the sender. */
const narrow = (transfer: IncomingTransfer, candidates: readonly Candidate[], reason: string): Match | undefined => {
  const [first] = candidates
  if (!first) return undefined
  if (candidates.length === 1) return certain(transfer, first, [reason])
  const bySender = candidates.filter((candidate) => isSentByPayer(transfer, candidate))
  if (bySender.length === 1 && bySender[0]) return certain(transfer, bySender[0], [reason, 'sender is its payer'])
  return {
    outcome: 'ambiguous',
    suggestions: suggest(transfer, candidates),
    reasons: [`${candidates.length} payments: ${reason}`],
  }
}

const heldWith = (transfer: IncomingTransfer, candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(
    (candidate) =>
      candidate.payment.currency === transfer.currency && heldFrom(candidate, transfer, earliestOf(transfer)),
  )

/** Whether it is the whole amount of a payment that may have received a wrong amount before. */
const isWholeAmount = (transfer: IncomingTransfer, { payment }: Candidate): boolean =>
  payment.amount === transfer.amount

const exactOf = (transfer: IncomingTransfer, held: readonly Candidate[]): Candidate[] =>
  held.filter((candidate) =>
    isPayable(candidate)
      ? missingAmount(candidate.payment) === transfer.amount || isWholeAmount(transfer, candidate)
      : creditedStatuses.has(candidate.payment.status) &&
        candidate.payment.amount === transfer.amount &&
        // Money with only a day may not be a second transfer for a slot that was released on that day.
        heldFrom(candidate, transfer, transfer.bookedAt),
  )

/** Whether the amount alone decides, so that candidates with other amounts do not matter. */
export const isExactlyHeld = (transfer: IncomingTransfer, candidates: readonly Candidate[]): boolean =>
  exactOf(transfer, heldWith(transfer, candidates)).length > 0

/**
 * The answer if a payment of exactly this amount was closed without money. Its payer may well have sent the transfer,
 * so no payment of a similar amount gets it.
 */
const matchClosed = (transfer: IncomingTransfer, held: readonly Candidate[]): Match | undefined => {
  const closed = held.filter(
    ({ payment }) =>
      !payableStatuses.has(payment.status) &&
      !creditedStatuses.has(payment.status) &&
      (missingAmount(payment) === transfer.amount || payment.amount === transfer.amount),
  )
  if (closed.length === 0) return undefined
  const statuses = new Set(closed.map(({ payment }) => (payment.status === 'disput' ? 'in dispute' : payment.status)))
  const waiting = held.filter(isPayable)
  const others = waiting.length > 0 ? waiting : held.filter((each) => !closed.includes(each))
  return {
    outcome: waiting.length > 0 ? 'ambiguous' : 'none',
    suggestions: suggest(transfer, [...closed, ...others]),
    reasons: [`the payment of exactly this amount is ${[...statuses].join(' or ')}`],
  }
}

/** Whether a match gives an unequal amount, certainly late, to a payment whose payer is not known to have sent it. */
const isPerhapsStrange = (transfer: IncomingTransfer, match: Match): boolean =>
  'candidate' in match &&
  !mayBeBookedBy(transfer, acceptUntil(match.candidate.payment)) &&
  !isSentByPayer(transfer, match.candidate)

/** The answer if payments wait, but none for exactly this amount. */
const matchUnequal = (transfer: IncomingTransfer, waiting: readonly Candidate[]): Match | undefined => {
  const near = waiting.filter(({ payment }) => isMissing(transfer, payment) || replacesPart(transfer, payment))
  const tolerated = narrow(transfer, near, 'the amount within the tolerance')
  if (waiting.length === 0 || (tolerated && !isPerhapsStrange(transfer, tolerated))) return tolerated
  // Late money of another amount may be a stranger's: only its sender makes it certain.
  const isInTime = waiting.every(({ payment }) => mayBeBookedBy(transfer, acceptUntil(payment)))
  const isFromPayer = waiting.some((candidate) => isSentByPayer(transfer, candidate))
  const doubt = (reason: string): Match => ({
    outcome: 'ambiguous',
    suggestions: suggest(transfer, waiting),
    reasons: [reason],
  })
  if (findSplits(transfer, waiting).length > 0)
    return doubt('several payments of one payer lack exactly this amount together')
  if (!isInTime && !isFromPayer) {
    return doubt('no payment waits for this amount, and it was booked after the time to pay of one that waits')
  }
  if (waiting.length === 1 && !isFromPayer && waiting.some(({ payment }) => !isInBounds(transfer, payment))) {
    return doubt('further from the amount of the only payment that waits than its terms allow')
  }
  const isOnly = waiting.length === 1
  return narrow(
    transfer,
    waiting,
    isOnly ? 'the only payment that waits on the requisite' : 'waiting on the requisite for another amount',
  )
}

/**
 * Decides which payment a transfer belongs to (docs/domain.md §6.4). Never guesses: the missing amount on a held slot
 * decides first, then the sender; an unequal amount is accepted only if a single payment waits on the requisite.
 */
export const matchTransfer = (transfer: IncomingTransfer, candidates: readonly Candidate[]): Match => {
  const held = heldWith(transfer, candidates)
  return (
    narrow(transfer, exactOf(transfer, held), 'the exact amount on the held slot') ??
    matchClosed(transfer, held) ??
    matchUnequal(transfer, held.filter(isPayable)) ?? {
      outcome: 'none',
      suggestions: suggest(transfer, held),
      reasons: [
        held.length === 0
          ? 'no payment held this requisite when the money was booked'
          : 'no payment here waits for money',
      ],
    }
  )
}

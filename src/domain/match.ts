import { suggest, type Suggestion } from './suggest.ts'
import { acceptUntil, creditedStatuses, type Payment } from './payment.ts'
import { type Instant, minute } from './time.ts'

/** An incoming transfer as far as matching looks at it. Amounts are minor units. */
export type IncomingTransfer = {
  readonly currency: string
  readonly amount: bigint
  readonly bookedAt: Instant
  /** Keyed index of the sender's number, where the bank gave one. */
  readonly senderIndex: string | null
  /** The sender's number as far as it may be shown; only its last digits are compared. */
  readonly senderDigits?: string
  /** Code of the sender's bank. */
  readonly senderBank?: string
  /** What the sender has written. */
  readonly text?: string
}

/** A payment that held a slot on the transfer's requisite, with the time in which it held it. */
export type Candidate = {
  readonly payment: Payment
  readonly takenAt: Instant
  readonly heldUntil: Instant
  readonly payerIndex: string | null
}

/** What a transfer is taken for; anything but a certain answer waits in the inbox. */
export type Match =
  | {
      readonly outcome: 'exact' | 'under' | 'over' | 'late' | 'duplicate'
      readonly candidate: Candidate
      readonly reasons: readonly string[]
    }
  | {
      readonly outcome: 'ambiguous' | 'none'
      readonly suggestions: readonly Suggestion[]
      readonly reasons: readonly string[]
    }

/** How far the clock of a bank may be behind ours: money booked this long before its payment is still looked at. */
export const bankClockSkewMs = 2 * minute

const payable = new Set<Payment['status']>(['new', 'processing', 'expired'])

const missing = (payment: Payment): bigint => payment.amount - payment.received

const heldAt = (candidate: Candidate, bookedAt: Instant): boolean =>
  candidate.takenAt - bankClockSkewMs <= bookedAt && bookedAt < candidate.heldUntil

const isSender = (transfer: IncomingTransfer, candidate: Candidate): boolean =>
  transfer.senderIndex !== null && transfer.senderIndex === candidate.payerIndex

const withinTolerance = (transfer: IncomingTransfer, { payment }: Candidate): boolean => {
  const distance = transfer.amount - missing(payment)
  return (distance < 0n ? -distance : distance) <= BigInt(payment.terms.toleranceMinor)
}

const certain = (transfer: IncomingTransfer, candidate: Candidate, reasons: readonly string[]): Match => {
  const { payment } = candidate
  if (creditedStatuses.has(payment.status)) {
    if (payment.terms.duplicatePolicy === 'review') {
      const why = `payment is already ${payment.status}, and what repeats it waits for a person`
      return { outcome: 'ambiguous', suggestions: suggest(transfer, [candidate]), reasons: [...reasons, why] }
    }
    return { outcome: 'duplicate', candidate, reasons: [...reasons, `payment is already ${payment.status}`] }
  }
  const rest = missing(payment)
  if (transfer.amount === rest && transfer.bookedAt > acceptUntil(payment)) {
    return { outcome: 'late', candidate, reasons: [...reasons, 'booked after the time to pay, inside the late window'] }
  }
  if (withinTolerance(transfer, candidate)) return { outcome: 'exact', candidate, reasons }
  return { outcome: transfer.amount < rest ? 'under' : 'over', candidate, reasons }
}

const narrow = (transfer: IncomingTransfer, candidates: readonly Candidate[], reason: string): Match | undefined => {
  const [first] = candidates
  if (!first) return undefined
  if (candidates.length === 1) return certain(transfer, first, [reason])
  const bySender = candidates.filter((candidate) => isSender(transfer, candidate))
  if (bySender.length === 1 && bySender[0]) return certain(transfer, bySender[0], [reason, 'sender is its payer'])
  return {
    outcome: 'ambiguous',
    suggestions: suggest(transfer, candidates),
    reasons: [`${candidates.length} payments: ${reason}`],
  }
}

const exactOf = (transfer: IncomingTransfer, held: readonly Candidate[]): Candidate[] =>
  held.filter(({ payment }) =>
    payable.has(payment.status)
      ? missing(payment) === transfer.amount
      : creditedStatuses.has(payment.status) && payment.amount === transfer.amount,
  )

/** Whether a payment of this very amount takes no money by itself any more, though none has come. */
const isClosedFor = (payment: Payment, amount: bigint): boolean =>
  !payable.has(payment.status) && !creditedStatuses.has(payment.status) && missing(payment) === amount

const heldWith = (transfer: IncomingTransfer, candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(
    (candidate) => candidate.payment.currency === transfer.currency && heldAt(candidate, transfer.bookedAt),
  )

/** Whether one of the candidates is decided for by its amount, so that no candidate of another amount matters. */
export const isExactlyHeld = (transfer: IncomingTransfer, candidates: readonly Candidate[]): boolean =>
  exactOf(transfer, heldWith(transfer, candidates)).length > 0

/**
 * Decides to which payment a transfer belongs. Never a guess: the amount that is missing on a held slot decides first,
 * then the sender; an unequal amount is taken only where a single payment waits on the requisite.
 */
export const matchTransfer = (transfer: IncomingTransfer, candidates: readonly Candidate[]): Match => {
  const held = heldWith(transfer, candidates)
  const waiting = held.filter((candidate) => payable.has(candidate.payment.status))
  const exact = exactOf(transfer, held)
  // Late money of another amount may be a stranger's: only its sender can make it certain.
  const inTime = waiting.filter(
    (candidate) => transfer.bookedAt <= acceptUntil(candidate.payment) || isSender(transfer, candidate),
  )
  const certainly = narrow(transfer, exact, 'the exact amount on the held slot')
  if (certainly) return certainly
  // Its payer may well have sent it: what is close to another payment must not take it.
  const closed = held.filter(({ payment }) => isClosedFor(payment, transfer.amount))
  if (closed.length > 0) {
    const statuses = [...new Set(closed.map(({ payment }) => payment.status))].map((status) =>
      status === 'disput' ? 'in dispute' : status,
    )
    return {
      outcome: waiting.length > 0 ? 'ambiguous' : 'none',
      suggestions: suggest(transfer, [
        ...closed,
        ...(waiting.length > 0 ? waiting : held.filter((each) => !closed.includes(each))),
      ]),
      reasons: [`the payment of exactly this amount is ${statuses.join(' or ')}`],
    }
  }
  const match =
    narrow(
      transfer,
      waiting.filter((candidate) => withinTolerance(transfer, candidate)),
      'the amount within the tolerance',
    ) ??
    (inTime.length === waiting.length || inTime.some((candidate) => isSender(transfer, candidate))
      ? narrow(transfer, waiting, 'the only payment that waits on the requisite')
      : undefined)
  if (match) return match
  if (waiting.length > 0) {
    const reasons = ['another amount than any payment waits for, after the time to pay of one of them']
    return { outcome: 'ambiguous', suggestions: suggest(transfer, waiting), reasons }
  }
  return {
    outcome: 'none',
    suggestions: suggest(transfer, held),
    reasons: [
      held.length === 0
        ? 'no payment held this requisite when the money was booked'
        : 'no payment here waits for money',
    ],
  }
}

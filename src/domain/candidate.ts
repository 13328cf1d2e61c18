import type { BookedTime } from './booked-time.ts'
import type { Payment } from './payment.ts'
import type { Instant } from './time.ts'

/** An incoming transfer as matching sees it. Amounts are minor units. */
export type IncomingTransfer = BookedTime & {
  readonly currency: string
  readonly amount: bigint
  /** Keyed index of the sender's number, where the bank gave one. */
  readonly senderIndex: string | null
  /** The same by older encryption keys, where there are such: payments from before have theirs. */
  readonly olderSenderIndexes?: readonly string[]
  /** The sender's number as far as it may be shown; only its last digits are compared. */
  readonly senderMasked?: string
  /** What the bank calls the sender. */
  readonly senderName?: string | null
  /** Code of the sender's bank. */
  readonly senderBank?: string | null
  /** What the sender wrote. */
  readonly text?: string | null
}

/** A payment that held a slot on the transfer's requisite, and when it held it. */
export type Candidate = {
  readonly payment: Payment
  readonly takenAt: Instant
  readonly heldUntil: Instant
  readonly payerIndex: string | null
  /** Names from which its user has paid before, the latest first. They are evidence, and never decide. */
  readonly payerNames?: readonly string[]
}

/** Whether a transfer came from the number that a payer has shown. */
export const isSentByPayer = (
  { senderIndex, olderSenderIndexes = [] }: Pick<IncomingTransfer, 'senderIndex' | 'olderSenderIndexes'>,
  { payerIndex }: Pick<Candidate, 'payerIndex'>,
): boolean =>
  senderIndex !== null && payerIndex !== null && (senderIndex === payerIndex || olderSenderIndexes.includes(payerIndex))

/** The money that a payment still lacks, in minor units. */
export const missingAmount = (payment: Payment): bigint => payment.amount - payment.received

const within = (a: bigint, b: bigint, distance: bigint): boolean => (a < b ? b - a : a - b) <= distance

/** Whether money is what a payment lacks, within its tolerance. */
export const isMissing = ({ amount }: { readonly amount: bigint }, payment: Payment): boolean =>
  within(amount, missingAmount(payment), payment.terms.toleranceMinor)

/**
 * Whether money alone is what a payment that waits with a part asks for, and not its rest: a wrong amount was sent first,
 * and then the right one. The part is then owed back.
 */
export const replacesPart = ({ amount }: { readonly amount: bigint }, payment: Payment): boolean =>
  payment.status === 'processing' &&
  payment.received > 0n &&
  within(amount, payment.amount, payment.terms.toleranceMinor) &&
  !isMissing({ amount }, payment)

/** Whether money is near enough to what a payment lacks to be taken for it without a look at its sender. */
export const isInBounds = ({ amount }: { readonly amount: bigint }, payment: Payment): boolean => {
  // Rounded up, so that a half of an odd amount that was rounded down is within a half.
  const bound = (payment.amount * BigInt(payment.terms.mismatchBoundPpm) + 999_999n) / 1_000_000n
  return within(amount, missingAmount(payment), bound)
}

/**
 * Each payment once, with its longest hold: it may have held slots on several requisites of one account, or have been
 * prolonged.
 */
export const longestHolds = (candidates: readonly Candidate[]): Candidate[] => {
  const longest = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const known = longest.get(candidate.payment.id)
    if (!known || known.heldUntil < candidate.heldUntil) longest.set(candidate.payment.id, candidate)
  }
  return [...longest.values()]
}

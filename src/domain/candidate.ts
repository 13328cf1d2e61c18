import type { BookedTime } from './booked-time.ts'
import type { Payment } from './payment.ts'
import type { Instant } from './time.ts'

/** An incoming transfer as matching sees it. Amounts are minor units. */
export type IncomingTransfer = BookedTime & {
  readonly currency: string
  readonly amount: bigint
  /** Keyed index of the sender's number, if the bank gave one. */
  readonly senderIndex: string | null
  /** The same by older encryption keys, if there are any: earlier payments use them. */
  readonly olderSenderIndexes?: readonly string[]
  /** The visible part of the sender's number; only its last digits are compared. */
  readonly senderMasked?: string
  /** The bank's name for the sender. */
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
  /** Names from which its user has paid before, the latest first. They are only evidence, and never decide. */
  readonly payerNames?: readonly string[]
}

/** Whether a transfer came from the number that a payer has given. */
export const isSentByPayer = (
  { senderIndex, olderSenderIndexes = [] }: Pick<IncomingTransfer, 'senderIndex' | 'olderSenderIndexes'>,
  { payerIndex }: Pick<Candidate, 'payerIndex'>,
): boolean =>
  senderIndex !== null && payerIndex !== null && (senderIndex === payerIndex || olderSenderIndexes.includes(payerIndex))

/** The money that a payment still needs, in minor units. */
export const missingAmount = (payment: Payment): bigint => payment.amount - payment.received

const within = (a: bigint, b: bigint, distance: bigint): boolean => (a < b ? b - a : a - b) <= distance

/** Whether the amount is what a payment still needs, within its tolerance. */
export const isMissing = ({ amount }: { readonly amount: bigint }, payment: Payment): boolean =>
  within(amount, missingAmount(payment), payment.terms.toleranceMinor)

/**
 * Whether money alone is the amount of a partly paid payment, not the rest of it: the payer sent a wrong amount first,
 * and then the right one. The part is then owed back.
 */
export const replacesPart = ({ amount }: { readonly amount: bigint }, payment: Payment): boolean =>
  payment.status === 'processing' &&
  payment.received > 0n &&
  within(amount, payment.amount, payment.terms.toleranceMinor) &&
  !isMissing({ amount }, payment)

/** Whether money is close enough to what a payment still needs to be accepted for it without checking the sender. */
export const isInBounds = ({ amount }: { readonly amount: bigint }, payment: Payment): boolean => {
  // Rounded up, so that half of an odd amount, rounded down, is still within a half.
  const bound = (payment.amount * BigInt(payment.terms.mismatchBoundPpm) + 999_999n) / 1_000_000n
  return within(amount, missingAmount(payment), bound)
}

/**
 * Each payment once, with its longest hold: it may have held slots on several requisites of one account, or had its
 * hold extended.
 */
export const longestHolds = (candidates: readonly Candidate[]): Candidate[] => {
  const longest = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const known = longest.get(candidate.payment.id)
    if (!known || known.heldUntil < candidate.heldUntil) longest.set(candidate.payment.id, candidate)
  }
  return [...longest.values()]
}

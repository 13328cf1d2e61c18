import type { BookedTime } from './booked-time.ts'
import type { Payment } from './payment.ts'
import type { Instant } from './time.ts'

/** An incoming transfer as matching sees it. Amounts are minor units. */
export type IncomingTransfer = BookedTime & {
  readonly currency: string
  readonly amount: bigint
  /** Keyed index of the sender's number, where the bank gave one. */
  readonly senderIndex: string | null
  /** The sender's number as far as it may be shown; only its last digits are compared. */
  readonly senderMasked?: string
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
}

/** The money that a payment still lacks, in minor units. */
export const missingAmount = (payment: Payment): bigint => payment.amount - payment.received

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

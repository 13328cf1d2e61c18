import type { BookedTime } from '../values/booked-time.ts'
import { distanceOf } from '../values/currency.ts'
import { creditedStatuses, type Payment, toleranceOf } from '../payments/payment.ts'
import type { Instant } from '../time.ts'

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
  readonly senderName?: string | null
  readonly senderBank?: string | null
  readonly text?: string | null
  /** The texts of other money on the account, with what distinguishes their senders. */
  readonly otherTexts?: readonly { readonly sender: string; readonly text: string }[]
  /** The users and payments for which money came from the sender's number before, as `payerKeys` names them. */
  readonly paidBefore?: ReadonlySet<string>
}

/** A payment that held a slot on the transfer's requisite, and when it held it. */
export type Candidate = {
  readonly payment: Payment
  readonly takenAt: Instant
  readonly heldUntil: Instant
  /** Keyed index of the number that its payer has given. */
  readonly payerIndex: string | null
  readonly payerName?: string | null
  /** Names from which this payment received money, and codes of the banks, where they are known. */
  readonly paidNames?: readonly string[]
  readonly paidBanks?: readonly string[]
  /** Names from which its user has paid before, the latest first: many people share a name, so they prove nothing. */
  readonly payerNames?: readonly string[]
}

/** The keyed indexes of a sender's number, by the current encryption key and by older ones. */
export const senderIndexesOf = ({
  senderIndex,
  olderSenderIndexes = [],
}: Pick<IncomingTransfer, 'senderIndex' | 'olderSenderIndexes'>): readonly string[] =>
  senderIndex === null ? [] : [senderIndex, ...olderSenderIndexes]

/** Texts that are equal for what one payer pays: for its user, if the merchant named one, and for the payment itself. */
export const payerKeys = ({
  merchantId,
  id,
  userId,
  userIdGiven,
}: Pick<Payment, 'merchantId' | 'id' | 'userId' | 'userIdGiven'>): string[] => [
  JSON.stringify([merchantId, 'payment', id]),
  ...(userIdGiven ? [JSON.stringify([merchantId, 'user', userId])] : []),
]

/** The money that a payment still needs, in minor units. */
export const missingAmount = (payment: Payment): bigint => payment.amount - payment.received

const within = (one: bigint, other: bigint, most: bigint): boolean => distanceOf(one, other) <= most

/** Whether the amount is what a payment still needs, within its tolerance. */
export const isMissing = ({ amount }: { readonly amount: bigint }, payment: Payment): boolean =>
  within(amount, missingAmount(payment), toleranceOf(payment))

/** Whether money is the whole amount of a partly paid payment: a wrong amount came first, and is owed back. */
export const replacesPart = ({ amount }: { readonly amount: bigint }, payment: Payment): boolean =>
  payment.status === 'processing' &&
  payment.received > 0n &&
  within(amount, payment.amount, toleranceOf(payment)) &&
  !isMissing({ amount }, payment)

/** Whether money is the whole amount of a payment, or exactly what one that is not credited still needs. */
export const isExactAmount = ({ amount }: { readonly amount: bigint }, payment: Payment): boolean =>
  payment.amount === amount || (missingAmount(payment) === amount && !creditedStatuses.has(payment.status))

/** Whether money is close enough to what a payment still needs to be accepted for it without checking the sender. */
export const isInBounds = ({ amount }: { readonly amount: bigint }, payment: Payment): boolean => {
  // Rounded up, so that half of an odd amount, rounded down, is still within a half.
  const bound = (payment.amount * BigInt(payment.terms.mismatchBoundPpm) + 999_999n) / 1_000_000n
  return within(amount, missingAmount(payment), bound)
}

/** Each payment once, with its longest hold: it may have held several slots, or had its hold extended. */
export const longestHolds = (candidates: readonly Candidate[]): Candidate[] => {
  const longest = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const known = longest.get(candidate.payment.id)
    if (!known || known.heldUntil < candidate.heldUntil) longest.set(candidate.payment.id, candidate)
  }
  return [...longest.values()]
}

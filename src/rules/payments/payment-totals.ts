import { hour, type Instant } from '../time.ts'

/** The outcomes of a group of payments. */
export type PaymentTotals = {
  readonly created: number
  /** Their payers saw where to pay. */
  readonly shown: number
  /** Their payers claimed to have paid, or money came. */
  readonly claimed: number
  /** Credited to their merchants. */
  readonly paid: number
  /** Shown, but not paid in time. */
  readonly expired: number
}

export const noPayments: PaymentTotals = { created: 0, shown: 0, claimed: 0, paid: 0, expired: 0 }

/** The totals of two groups together. */
export const addTotals = (one: PaymentTotals, other: PaymentTotals): PaymentTotals => ({
  created: one.created + other.created,
  shown: one.shown + other.shown,
  claimed: one.claimed + other.claimed,
  paid: one.paid + other.paid,
  expired: one.expired + other.expired,
})

/** The start of the hour (UTC) that contains a time. */
export const hourOf = (at: Instant): Instant => at - (at % hour)

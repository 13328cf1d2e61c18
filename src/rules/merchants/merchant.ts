import { usdt } from '../values/currency.ts'
import { type FeePlan, type LockedFeePlan, noFeeCap } from './fee.ts'
import { methodRules, type PaymentMethod, type Rail } from '../values/payment-method.ts'
import { hour, type Instant, minute } from '../time.ts'

/** Whether a merchant's money is real. */
export const merchantModes = ['live', 'sandbox'] as const
export type MerchantMode = (typeof merchantModes)[number]

/** How often a merchant's balance may be settled by a schedule: each day, Monday, or first of a month (UTC). */
export const settlementSpans = ['day', 'week', 'month'] as const
export type SettlementSpan = (typeof settlementSpans)[number]

/** How often a merchant may be sent a report: of each day or month (UTC). */
export const reportSpans = ['day', 'month'] as const
export type ReportSpan = (typeof reportSpans)[number]

/** Whether a merchant may do business. */
export const merchantStatuses = ['active', 'suspended'] as const

/** Largest logo in bytes: the payer's page must load quickly over a slow connection. */
export const maxLogoBytes = 32 * 1024

/** A company whose users pay through the service. */
export type Merchant = {
  readonly id: string
  readonly name: string
  readonly mode: MerchantMode
  readonly status: (typeof merchantStatuses)[number]
  readonly settings: MerchantSettings
  readonly createdAt: Instant
}

/** What the operator sets for a merchant as a whole. */
export type MerchantSettings = {
  /** Hosts that `returnUrl` may name. */
  readonly returnHosts: readonly string[]
  /** Most payments in `new` or `processing` at a time; `null` for no limit. */
  readonly maxOpenPayments: number | null
  /** Most amounts that unpaid payments of one `userId` hold on accounts at a time; `null` for no limit. */
  readonly maxHeldPerUser: number | null
  /** The currency in which its new payments are credited, `USDT` or one such as `rub`. */
  readonly quoteCurrency: string
  /** Largest debt in whole units of a currency, a balance below zero, with which it may create payments; `null` for no limit. */
  readonly maxDebt: number | null
  /** Least settlement that it may ask for, in whole units of its quote currency; `null` for no limit. */
  readonly minSettlement: number | null
  /** Most that it may ask for within 24 hours, in whole units of its quote currency; `null` for no limit. */
  readonly maxSettlementPerDay: number | null
  /** How often its whole balance is asked for, without its doing; `null` for never. */
  readonly settlementEvery: SettlementSpan | null
  /** The destination of what is asked for so. */
  readonly settlementTo: string | null
  /** How often it is sent reports; `null`: never. */
  readonly reportEvery: ReportSpan | null
  /** The e-mail addresses to which they go. */
  readonly reportTo: readonly string[]
  /** Whether its payers pay only to its own requisites, never to those of the shared pool. */
  readonly ownRequisitesOnly: boolean
  /** Colour of its buttons on the payer's page, `#rrggbb`; `null` for the page's default. */
  readonly accent: string | null
  /** Hosts whose pages may embed the payer's page in a frame. */
  readonly frameHosts: readonly string[]
} & SupportContacts

/** How payers reach a merchant's support: an address, a phone as `+78005553535`, https links; `null` for none. */
export type SupportContacts = {
  readonly supportEmail: string | null
  readonly supportPhone: string | null
  readonly supportLink: string | null
  /** A link that opens a chat, such as `https://t.me/shop`. */
  readonly supportMessenger: string | null
}

export const defaultMerchantSettings: MerchantSettings = {
  returnHosts: [],
  maxOpenPayments: 10_000,
  maxHeldPerUser: 10,
  quoteCurrency: usdt,
  maxDebt: null,
  minSettlement: null,
  maxSettlementPerDay: null,
  settlementEvery: null,
  settlementTo: null,
  reportEvery: null,
  reportTo: [],
  ownRequisitesOnly: false,
  accent: null,
  frameHosts: [],
  supportEmail: null,
  supportPhone: null,
  supportLink: null,
  supportMessenger: null,
}

/** What happens to money that differs from the amount by more than the tolerance. */
export type MismatchPolicy = 'credit-received' | 'review'

/** Windows, tolerance, policy and fee of a merchant's payments by one method, locked into each payment at creation. */
export type Terms = FeePlan & {
  readonly timeToPayMs: number
  readonly graceMs: number
  /** By account transfer, Saturdays and Sundays do not count. */
  readonly lateWindowMs: number
  readonly confirmDeadlineMs: number
  /** How long the slot of a paid payment stays taken, so that a second transfer is not credited to a stranger. */
  readonly coolDownMs: number
  /** Difference in minor units that still counts as exact. */
  readonly toleranceMinor: bigint
  readonly mismatchPolicy: MismatchPolicy
  /**
   * How far an amount may differ from what is missing, in millionths of the payment's amount, and still be accepted for
   * this payment without checking the sender.
   */
  readonly mismatchBoundPpm: number
  /** The most that a payment is credited without a person, in millionths of its amount. */
  readonly creditCapPpm: number
  /** The policy for too little money, if not `mismatchPolicy`. */
  readonly underpaidPolicy?: MismatchPolicy
  /** The policy for too much money, if not `mismatchPolicy`. */
  readonly overpaidPolicy?: MismatchPolicy
  /** Too little money that comes in time waits for the rest (the default) or for a person. */
  readonly partialPolicy?: 'add-up' | 'review'
  /** What happens to the exact amount inside the late window; default: `credit`. */
  readonly latePolicy?: 'credit' | 'review'
  /**
   * At which rate money beyond the payment's amount, or booked after its time, is credited: the worse of the locked and
   * the current one (the default), or the locked one.
   */
  readonly ratePolicy?: 'worse' | 'locked'
  /** Further money for a credited payment is owed to its payer (the default), or waits in the inbox. */
  readonly paidAgainPolicy?: 'overpayment' | 'review'
  /** Whether settlements take what only messages on phones have reported (the default), or wait until it is proven. */
  readonly payoutPolicy?: 'all' | 'proven'
  /** Whether the service keeps the fee of what is refunded (the default), or returns its part. */
  readonly refundFee?: 'kept' | 'returned'
  /**
   * Whether a payment takes an amount that another one holds on the same requisite, if no requisite is free for it, and
   * lets others do so; default: `share` for staged payments, `refuse` for direct ones.
   */
  readonly equalAmounts?: EqualAmounts
}

/** What happens when every requisite already holds the amount of a new payment. */
export const equalAmounts = ['share', 'refuse'] as const
export type EqualAmounts = (typeof equalAmounts)[number]

/**
 * Terms as locked into a payment, with the bounds of what may be credited for it in minor units; older payments lack
 * newer terms.
 */
export type LockedTerms = Omit<Terms, keyof FeePlan | 'creditCapPpm'> &
  Partial<Pick<Terms, 'creditCapPpm'>> &
  LockedFeePlan & { readonly minMinor: bigint; readonly maxMinor: bigint }

const lateWindows: Readonly<Record<Rail, number>> = { instant: hour, 'banking-days': 24 * hour }

/** `creditCapPpm` unless the operator sets another one: one and a half times the amount. */
export const usualCreditCapPpm = 1_500_000

const commonTerms: Omit<Terms, 'lateWindowMs'> = {
  timeToPayMs: 30 * minute,
  graceMs: 15 * minute,
  confirmDeadlineMs: 2 * hour,
  coolDownMs: hour,
  toleranceMinor: 0n,
  mismatchPolicy: 'credit-received',
  mismatchBoundPpm: 605_000,
  creditCapPpm: usualCreditCapPpm,
  feePpm: 10_000,
  feeFixedMicro: 0n,
  feeMinMicro: 0n,
  feeMaxMicro: noFeeCap,
}

/** Terms of a method that apply if neither the operator nor the merchant set others (docs/domain.md §3.4). */
export const defaultTerms = (method: PaymentMethod): Terms => ({
  ...commonTerms,
  lateWindowMs: lateWindows[methodRules[method].rail],
})

/** The terms that are amounts of money. */
export const termAmounts = ['toleranceMinor', 'feeFixedMicro', 'feeMinMicro', 'feeMaxMicro'] as const

type Bounds<T> = readonly [smallest: T, largest: T]

/** Smallest and largest value that each of the terms may have. */
export const termsBounds: {
  readonly [K in Exclude<keyof Terms, `${string}Policy` | 'refundFee' | 'equalAmounts'>]: Terms[K] extends bigint
    ? Bounds<bigint>
    : Bounds<number>
} = {
  timeToPayMs: [5 * minute, 24 * hour],
  graceMs: [0, 24 * hour],
  lateWindowMs: [0, 30 * 24 * hour],
  confirmDeadlineMs: [5 * minute, 7 * 24 * hour],
  coolDownMs: [0, 7 * 24 * hour],
  toleranceMinor: [0n, 1_000_000n],
  mismatchBoundPpm: [0, 1_000_000_000],
  creditCapPpm: [1_000_000, 1_000_000_000],
  feePpm: [0, 500_000],
  feeFixedMicro: [0n, 1_000_000_000_000n],
  feeMinMicro: [0n, 1_000_000_000_000n],
  feeMaxMicro: [0n, noFeeCap],
}

/** Bounds of a payment's amount in one currency, in minor units. */
export type CurrencyLimits = { readonly currency: string; readonly min: bigint; readonly max: bigint }

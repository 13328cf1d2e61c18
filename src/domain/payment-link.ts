import { currencyDecimals } from './currency.ts'
import { formatDecimal, parseDecimal } from './decimal.ts'
import type { CurrencyLimits } from './merchant.ts'
import type { Metadata, PaymentStatus } from './payment.ts'
import type { PaymentMethod } from './payment-method.ts'
import type { Instant } from './time.ts'

/** Whether payers may start payments by a link, or why not. */
export const linkStates = ['open', 'used-up', 'ended', 'closed'] as const
/** One of `linkStates`. */
export type LinkState = (typeof linkStates)[number]

/** Most payments that a link with a limit may have. */
export const mostLinkUses = 10_000

/** A page at which any payer starts a payment to a merchant. Amounts are minor units. */
export type PaymentLink = {
  readonly merchantId: string
  readonly id: string
  /** What is paid for, as the payer reads it. */
  readonly title: string
  readonly description: string | null
  readonly currency: string
  /** `null` where the payer chooses. */
  readonly method: PaymentMethod | null
  /** `null` where the payer enters the amount, from `minAmount` to `maxAmount` where they are set. */
  readonly amount: bigint | null
  readonly minAmount: bigint | null
  readonly maxAmount: bigint | null
  /** How many of its payments may be paid; `null` for any number. */
  readonly maxUses: number | null
  readonly endsAt: Instant | null
  readonly returnUrl: string | null
  /** Copied to each of its payments. */
  readonly metadata: Metadata | null
  /** Who created it, as the audit names people. */
  readonly createdBy: string
  readonly createdAt: Instant
  readonly closedAt: Instant | null
}

/** The state of a link with this number of paid payments. What was closed stays closed, whatever else holds. */
export const linkState = (
  link: Pick<PaymentLink, 'closedAt' | 'endsAt' | 'maxUses'>,
  paid: number,
  now: Instant,
): LinkState => {
  if (link.closedAt !== null) return 'closed'
  if (link.maxUses !== null && paid >= link.maxUses) return 'used-up'
  return link.endsAt !== null && link.endsAt <= now ? 'ended' : 'open'
}

/** Statuses of a payment that no money is expected for any more: its seat in a link is free again. */
export const freeingStatuses: ReadonlySet<PaymentStatus> = new Set(['expired', 'canceled', 'failed'])

/** The amounts that a payer may enter: those of the link within the limits of its merchant; none where `min` exceeds `max`. */
export const amountBounds = (
  link: Pick<PaymentLink, 'minAmount' | 'maxAmount'>,
  limits: Pick<CurrencyLimits, 'min' | 'max'>,
): { readonly min: bigint; readonly max: bigint } => ({
  min: link.minAmount !== null && link.minAmount > limits.min ? link.minAmount : limits.min,
  max: link.maxAmount !== null && link.maxAmount < limits.max ? link.maxAmount : limits.max,
})

/** Why an amount that a payer has entered is not taken. */
export type AmountFault = 'missing' | 'unreadable' | 'precision' | 'too-small' | 'too-large'

/**
 * Reads an amount as people write it, `1 500,50` or `1500.50`; with both a comma and a dot the last of them is the decimal
 * one. Groups of three after a space, an apostrophe or the other sign are read as such.
 */
export const readTypedAmount = (
  typed: string,
  currency: string,
  bounds: { readonly min: bigint; readonly max: bigint },
): bigint | AmountFault => {
  const text = typed.trim()
  if (text === '') return 'missing'
  const plain = plainDigits(text)
  if (plain === undefined) return 'unreadable'
  const amount = parseDecimal(plain, currencyDecimals(currency))
  if (amount === 'precision') return 'precision'
  if (amount === 'range') return 'too-large'
  if (amount < bounds.min) return 'too-small'
  return amount > bounds.max ? 'too-large' : amount
}

const plainDigits = (text: string): string | undefined => {
  const compact = text.slice(0, 40).replace(/(?<=\d)[\s'’](?=\d{3})/gu, '')
  const [, whole = '', fraction] = /^(\d[\d.,]*?)(?:[.,](\d{1,4}))?$/.exec(compact) ?? []
  if (whole === '') return undefined
  // One sign before three last digits is read as the decimal one, and refused as too precise: 1.500 may mean either.
  const grouped = /^\d{1,3}(?:([.,])\d{3}(?:\1\d{3})*)?$/.exec(whole)
  if (!/^\d+$/.test(whole) && !grouped) return undefined
  return whole.replaceAll(/[.,]/g, '') + (fraction === undefined ? '' : `.${fraction}`)
}

/** The digits of an amount for a request, which takes them as they are written. */
export const amountDigits = (amount: bigint, currency: string): string =>
  formatDecimal(amount, currencyDecimals(currency))

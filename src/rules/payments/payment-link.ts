import type { CurrencyLimits, Merchant } from '../merchants/merchant.ts'
import { invalid, type FieldProblem } from '../refusal.ts'
import { showAmount } from '../values/currency.ts'
import type { Metadata } from './payment.ts'
import { isReturnUrl } from './payment-request.ts'
import type { PaymentMethod } from '../values/payment-method.ts'
import type { Instant } from '../time.ts'

/** Whether payers may start payments by a link, or why not. */
export const linkStates = ['open', 'used-up', 'ended', 'closed'] as const
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
  /** `null` if the payer chooses. */
  readonly method: PaymentMethod | null
  /** `null` if the payer enters the amount, from `minAmount` to `maxAmount` if set. */
  readonly amount: bigint | null
  readonly minAmount: bigint | null
  readonly maxAmount: bigint | null
  /** How many of its payments may be paid; `null` for no limit. */
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

/** The state of a link with this number of paid payments. A closed link stays closed, whatever else applies. */
export const linkState = (
  link: Pick<PaymentLink, 'closedAt' | 'endsAt' | 'maxUses'>,
  paid: number,
  now: Instant,
): LinkState => {
  if (link.closedAt !== null) return 'closed'
  if (link.maxUses !== null && paid >= link.maxUses) return 'used-up'
  return link.endsAt !== null && link.endsAt <= now ? 'ended' : 'open'
}

/** The amounts that a payer may enter: those of the link within its merchant's limits; none if `min` exceeds `max`. */
export const amountBounds = (
  link: Pick<PaymentLink, 'minAmount' | 'maxAmount'>,
  limits: Pick<CurrencyLimits, 'min' | 'max'>,
): { readonly min: bigint; readonly max: bigint } => ({
  min: link.minAmount !== null && link.minAmount > limits.min ? link.minAmount : limits.min,
  max: link.maxAmount !== null && link.maxAmount < limits.max ? link.maxAmount : limits.max,
})

/** A link to be created. */
export type LinkWish = Omit<PaymentLink, 'id' | 'merchantId' | 'createdAt' | 'closedAt'>

type Profile = {
  readonly merchant: Pick<Merchant, 'settings'>
  readonly limits: ReadonlyMap<string, CurrencyLimits>
}

const amountProblems = (wish: LinkWish, { limits }: Profile): FieldProblem[] => {
  const own = limits.get(wish.currency)
  if (!own) {
    const known = [...limits.keys()].join(', ') || 'none yet'
    return [{ field: 'currency', code: 'currency_not_supported', message: `is not supported; supported: ${known}.` }]
  }
  const outside = (['amount', 'minAmount', 'maxAmount'] as const).flatMap((field): FieldProblem[] => {
    const value = wish[field]
    if (value === null || (value >= own.min && value <= own.max)) return []
    return value < own.min
      ? [{ field, code: 'amount_below_min', message: `must be at least ${showAmount(own.min, wish.currency)}.` }]
      : [{ field, code: 'amount_above_max', message: `must be at most ${showAmount(own.max, wish.currency)}.` }]
  })
  if (outside.length > 0) return outside
  const { min, max } = amountBounds(wish, own)
  return min > max ? [invalid('minAmount', 'must not exceed maxAmount.')] : []
}

/** What is wrong with the fields of a new link. */
export const linkProblems = (wish: LinkWish, profile: Profile, now: Instant): FieldProblem[] => {
  const problems = amountProblems(wish, profile)
  const wrong = (field: string, message: string): number => problems.push(invalid(field, message))
  if (wish.amount !== null && wish.minAmount !== null) wrong('minAmount', 'is only for links without amount.')
  if (wish.amount !== null && wish.maxAmount !== null) wrong('maxAmount', 'is only for links without amount.')
  if (wish.maxUses !== null && wish.maxUses > mostLinkUses) wrong('maxUses', `must be at most ${mostLinkUses}.`)
  if (wish.endsAt !== null && wish.endsAt <= now) wrong('endsAt', 'must be in the future.')
  if (wish.returnUrl !== null && !isReturnUrl(wish.returnUrl, profile.merchant.settings.returnHosts))
    wrong('returnUrl', 'must be a URL on one of the registered hosts of the merchant.')
  return problems
}

import type { Tx, Context } from '../context.ts'
import { showAmount } from '../../rules/values/currency.ts'
import { amountBounds, mostLinkUses, type PaymentLink } from '../../rules/payments/payment-link.ts'
import { isReturnUrl } from '../../rules/payments/payment-request.ts'
import { invalid, type FieldProblem, refuseProblems } from '../../rules/refusal.ts'
import { day } from '../../rules/time.ts'
import type { MerchantProfile } from '../merchants/merchant-directory.ts'
import { type CountedLink, getLink } from './read.ts'
import { insertLink, markClosed, forgetAddressIndexes } from './store.ts'

export type LinkWish = Omit<PaymentLink, 'id' | 'merchantId' | 'createdAt' | 'closedAt'>

const amountProblems = (wish: LinkWish, { limits }: MerchantProfile): FieldProblem[] => {
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

const problemsOf = (wish: LinkWish, profile: MerchantProfile, now: number): FieldProblem[] => {
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

/**
 * Creates a payment link of a merchant. Refuses all wrong fields together, with the code of the first:
 * `currency_not_supported`, `amount_below_min`, `amount_above_max` or `validation_failed`.
 */
export const createLink = async (tx: Tx, profile: MerchantProfile, wish: LinkWish): Promise<CountedLink> => {
  const refusal = refuseProblems(problemsOf(wish, profile, tx.now))
  if (refusal) throw refusal
  const link = { ...wish, merchantId: profile.merchant.id, id: tx.newId(), createdAt: tx.now, closedAt: null }
  await tx.query(insertLink, { rows: [link] })
  return { ...link, state: 'open', paid: 0, underWay: 0 }
}

/**
 * Closes a link: no more payments can be started by it, and those already started continue. Closing it again changes
 * nothing. Refuses `resource_not_found`.
 */
export const closeLink = async (tx: Tx, merchantId: string, id: string): Promise<CountedLink> => {
  const link = await getLink(tx, merchantId, id, tx.now)
  if (link.closedAt !== null) return link
  await tx.query(markClosed, { id, now: tx.now })
  return { ...link, closedAt: tx.now, state: 'closed' }
}

/** Most uses per round. */
const batchSize = 1000

/** Removes the hashes of payers' addresses from uses older than any unpaid payment can be; returns how many. */
export const forgetAddresses = async (context: Context): Promise<number> =>
  (await context.query(forgetAddressIndexes, { before: context.clock() - 4 * day, limit: batchSize })).length

import type { Context } from '../context.ts'
import { type Queryable, reader } from 'payin-database'
import { linkState, type LinkState, type PaymentLink } from '../../rules/payments/payment-link.ts'
import { noSuch } from '../../rules/refusal.ts'
import type { Instant } from '../../rules/time.ts'
import { findLinks, findNewerUse, selectLink, selectLinks } from './store.ts'
import { methodRules, type PaymentMethod, paymentMethods } from '../../rules/values/payment-method.ts'
import { type RequisiteWish, unfit } from '../../rules/requisites/requisite.ts'
import type { MerchantProfile } from '../merchants/merchant-directory.ts'
import { requisitePool } from '../requisites/requisite-pool.ts'

/** A link with its state, and how many of its payments are paid or undecided; counts at most 10,000 of each. */
export type CountedLink = PaymentLink & {
  readonly state: LinkState
  readonly paid: number
  readonly underWay: number
}

const withState = <Link extends PaymentLink & { readonly paid: number }>(
  link: Link,
  now: Instant,
): Link & { readonly state: LinkState } => ({
  ...link,
  state: linkState(link, link.paid, now),
})

/** A link by its id, and until when the first of the payers who hold it may pay; `undefined` if it does not exist. */
export const findLink = async (
  sql: Queryable,
  id: string,
  now: Instant,
): Promise<(CountedLink & { readonly freeAt: Instant | null }) | undefined> => {
  const [link] = await sql.query(selectLink, { id })
  return link && withState(link, now)
}

/** A link of a merchant; refuses `resource_not_found`. */
export const getLink = async (sql: Queryable, merchantId: string, id: string, now: Instant): Promise<CountedLink> => {
  const link = await findLink(sql, id, now)
  if (link?.merchantId !== merchantId) throw noSuch('payment link')
  return link
}

/**
 * The replacement of a payment whose payer has sent the form of a link again; `paymentId` is `null` while the newer
 * payment is being created.
 */
export const findReplacement = async (
  sql: Queryable,
  key: { readonly linkId: string; readonly orderId: string },
): Promise<{ readonly paymentId: string | null } | undefined> => (await sql.query(findNewerUse, key))[0]

/**
 * A page of links, newest first; of all merchants if `merchantId` is null; with a `state`, among the newest 10,000.
 */
export const listLinks = async (
  context: Context,
  wanted: Omit<Parameters<typeof selectLinks.encode>[0], 'now'>,
): Promise<CountedLink[]> => {
  const now = context.clock()
  return (await context.query(selectLinks, { ...wanted, now })).map((link) => withState(link, now))
}

/** Links of merchants that a title or a shortened id may mean; only a few of them. */
export const findLinksByName = reader(findLinks)

/** The address of a link's page. */
export const linkUrl = ({ settings, linkTokens }: Pick<Context, 'settings' | 'linkTokens'>, linkId: string): string =>
  `${settings.publicUrl}/l/${linkTokens.issue(linkId)}`

/**
 * The methods that the payer of a link may choose from: the link's own, or those for which its merchant has a requisite
 * that would take `amount`; without an amount, any.
 */
export const linkMethods = async (
  context: Context,
  link: Pick<PaymentLink, 'method' | 'currency'>,
  { merchant }: MerchantProfile,
  amount: bigint | null,
): Promise<PaymentMethod[]> => {
  if (link.method !== null) return [link.method]
  const pool = await context.catalog.get(requisitePool)
  const now = context.clock()
  const takes = (method: PaymentMethod): boolean => {
    const { transferScope } = methodRules[method]
    const kind = { method, currency: link.currency, transferScope, bankIssuer: null }
    const owner = { merchantId: merchant.id, ownOnly: merchant.settings.ownRequisitesOnly, mode: merchant.mode }
    for (const requisite of pool.offer({ ...owner, ...kind, amount: amount ?? 0n })) {
      // Without an amount, each requisite is checked for its smallest amount.
      const wish: RequisiteWish = { ...owner, ...kind, amount: amount ?? requisite.limits.minAmount ?? 1n }
      if (unfit(requisite, wish, now) === undefined) return true
    }
    return false
  }
  return paymentMethods.filter(takes)
}

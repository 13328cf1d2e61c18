import type { Tx, Context } from '../context.ts'
import { type LinkWish, linkProblems } from '../../rules/payments/payment-link.ts'
import { refuseProblems } from '../../rules/refusal.ts'
import { day } from '../../rules/time.ts'
import type { MerchantProfile } from '../merchants/merchant-directory.ts'
import { type CountedLink, getLink } from './read.ts'
import { insertLink, markClosed, forgetAddressIndexes } from './store.ts'

/**
 * Creates a payment link of a merchant. Refuses all wrong fields together, with the code of the first:
 * `currency_not_supported`, `amount_below_min`, `amount_above_max` or `validation_failed`.
 */
export const createLink = async (tx: Tx, profile: MerchantProfile, wish: LinkWish): Promise<CountedLink> => {
  const refusal = refuseProblems(linkProblems(wish, profile, tx.now))
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

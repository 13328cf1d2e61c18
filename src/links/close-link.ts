import type { Tx } from '../context.ts'
import { type CountedLink, getLink } from './read.ts'
import { markClosed } from './store.ts'

/**
 * Closes a link: nobody starts a payment by it any more, and those that were started go on. Closing it again changes
 * nothing. Refuses `resource_not_found`.
 */
export const closeLink = async (tx: Tx, merchantId: string, id: string): Promise<CountedLink> => {
  const link = await getLink(tx, merchantId, id, tx.now)
  if (link.closedAt !== null) return link
  await tx.query(markClosed, { id, now: tx.now })
  return { ...link, closedAt: tx.now, state: 'closed' }
}

import type { Context } from '../../context.ts'
import { day } from '../../domain/time.ts'
import { leastIdAt } from '../../domain/uuid-bounds.ts'
import { selectPaidShares } from './store.ts'

/** How long ago the payments were created, and how many of a merchant are counted, the latest ones. */
const span = 30 * day
const mostCounted = 5000

/** Which share of each live merchant's payments was paid, by the move of the rate; the largest difference first. */
export const listPaidShares = async (context: Context) => {
  const now = context.clock()
  const rows = await context.query(selectPaidShares, { now, leastId: leastIdAt(now - span), limit: mostCounted })
  const differenceOf = ({ favoured, favouredPaid, others, othersPaid }: (typeof rows)[number]): number =>
    favouredPaid / (favoured || 1) - othersPaid / (others || 1)
  return rows.toSorted((a, b) => differenceOf(b) - differenceOf(a))
}

import type { Context } from '../context.ts'
import { quoteCurrency } from '../domain/currency.ts'
import { account } from '../domain/ledger.ts'
import { type Instant, minute } from '../domain/time.ts'
import { leastIdAt } from '../domain/uuid-bounds.ts'
import { idMarginMs } from './export-journal.ts'
import { listMovementsBetween, sumMovementsSince } from './store.ts'

const pageSize = 1000
/** What was posted so long ago has been committed: the database ends a transaction that says nothing far sooner. */
const settledMs = 2 * minute

/**
 * A merchant's available balance from one time to another: what was owed at the start and at the end, in millionths of the
 * quote currency, and the movements in order, read in pages as they are asked for.
 */
export const openAccountStatement = async (context: Context, merchantId: string, from: Instant, to: Instant) => {
  const wanted = { merchantId, account: account.available(merchantId) }
  const start = leastIdAt(from - idMarginMs)
  // What is just being posted may come between the sums and the pages, so the last minutes are read at once.
  const settledTo = Math.max(from, Math.min(to, context.clock() - settledMs))
  const [sums] = await context.query(sumMovementsSince, {
    ...wanted,
    ...{ currency: quoteCurrency, after: start, from, to: settledTo },
  })
  const read = async function* (since: Instant, until: Instant) {
    const before = leastIdAt(until + idMarginMs)
    for (let after = leastIdAt(since - idMarginMs); ; ) {
      const span = { from: since, to: until, after, before, limit: pageSize }
      const page = await context.query(listMovementsBetween, { ...wanted, ...span })
      yield* page
      const last = page.at(-1)
      if (!last || page.length < pageSize) return
      after = last.id
    }
  }
  const { owed = 0n, sinceFrom = 0n, sinceTo = 0n } = sums ?? {}
  const latest = settledTo < to ? await Array.fromAsync(read(settledTo, to)) : []
  const movements = async function* () {
    if (from < settledTo) yield* read(from, settledTo)
    yield* latest
  }
  const opening = owed - sinceFrom
  const closing = latest.reduce((sum, { change }) => sum + change, opening + sinceFrom - sinceTo)
  return { opening, closing, movements: movements() }
}

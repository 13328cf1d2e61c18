import type { Context } from '../context.ts'
import { quoteCurrency } from '../domain/currency.ts'
import { account } from '../domain/ledger.ts'
import type { Instant } from '../domain/time.ts'
import { leastIdAt } from '../domain/uuid-bounds.ts'
import { idMarginMs } from './export-journal.ts'
import { listMovementsBetween, sumMovementsSince } from './store.ts'

const pageSize = 1000

/**
 * A merchant's available balance from one time to another, which may not be later than `finalUntil`: what was owed at the
 * start and at the end, in millionths of the quote currency, and the movements in order, read in pages as they are asked
 * for.
 */
export const openAccountStatement = async (context: Context, merchantId: string, from: Instant, to: Instant) => {
  const wanted = { merchantId, account: account.available(merchantId) }
  const start = leastIdAt(from - idMarginMs)
  const [sums] = await context.query(sumMovementsSince, { ...wanted, currency: quoteCurrency, after: start, from, to })
  const movements = async function* () {
    const before = leastIdAt(to + idMarginMs)
    for (let after = start; ; ) {
      const page = await context.query(listMovementsBetween, { ...wanted, from, to, after, before, limit: pageSize })
      yield* page
      const last = page.at(-1)
      if (!last || page.length < pageSize) return
      after = last.id
    }
  }
  const { owed = 0n, sinceFrom = 0n, sinceTo = 0n } = sums ?? {}
  const opening = owed - sinceFrom
  return { opening, closing: opening + sinceFrom - sinceTo, movements: movements() }
}

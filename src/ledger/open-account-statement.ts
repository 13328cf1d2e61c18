import type { Context } from '../context.ts'
import { quoteCurrency } from '../domain/currency.ts'
import { account } from '../domain/ledger.ts'
import type { Instant } from '../domain/time.ts'
import { leastIdAt } from '../domain/uuid-bounds.ts'
import { idMarginMs } from './export-journal.ts'
import { listMovementsBetween, sumMovementsSince } from './store.ts'

const pageSize = 1000

/**
 * A merchant's available balance from one time to another: what was owed at the start, in millionths of the quote
 * currency, and the movements in order, read in pages as they are asked for.
 */
export const openAccountStatement = async (context: Context, merchantId: string, from: Instant, to: Instant) => {
  const wanted = { merchantId, account: account.available(merchantId), from }
  const start = leastIdAt(from - idMarginMs)
  const [sums] = await context.query(sumMovementsSince, { ...wanted, currency: quoteCurrency, after: start })
  const movements = async function* () {
    let after = start
    for (;;) {
      const page = await context.query(listMovementsBetween, { ...wanted, to, after, limit: pageSize })
      yield* page
      const last = page.at(-1)
      if (!last || page.length < pageSize) return
      after = last.id
    }
  }
  return { opening: (sums?.owed ?? 0n) - (sums?.since ?? 0n), movements: movements() }
}

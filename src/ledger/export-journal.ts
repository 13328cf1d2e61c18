import type { Context } from '../context.ts'
import { serviceBook } from '../domain/ledger.ts'
import { day, type Instant } from '../domain/time.ts'
import { leastIdAt } from '../domain/uuid-bounds.ts'
import { listJournal } from './store.ts'

const pageSize = 1000

/** Ids are made later than the time of their transaction, or by a clock that is a little behind; far below a day. */
export const idMarginMs = day

/** All postings of a span of time, book by book and in order, read in pages as they are asked for. */
export async function* exportJournal(
  context: Context,
  span: { readonly merchantId: string | null; readonly from: Instant; readonly to: Instant },
) {
  const start = leastIdAt(span.merchantId === null ? 0 : span.from - idMarginMs)
  let key = { afterMerchantId: span.merchantId ?? serviceBook, afterId: start }
  for (;;) {
    const page = await context.query(listJournal, { ...span, ...key, limit: pageSize })
    yield* page
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    key = { afterMerchantId: last.merchantId, afterId: last.id }
  }
}

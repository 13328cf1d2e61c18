import type { Context } from '../context.ts'
import { account, serviceBooks } from '../../rules/money/ledger.ts'
import { day, type Instant } from '../../rules/time.ts'
import { leastIdAt } from '../../rules/values/id-text.ts'
import type { BookFilter } from './read.ts'
import { listBooks, listJournal, listMovementsBetween, sumMovementsSince } from './store.ts'

const pageSize = 1000

/** Ids are newer than the time of their transaction, or slightly older if a clock is slow; by far less than a day. */
const idMarginMs = day

/** The ids between which those of the postings of a span are. */
export const spanOfIds = (from: Instant, to: Instant) => ({
  after: leastIdAt(from - idMarginMs),
  before: leastIdAt(to + idMarginMs),
})

const booksOf = async (context: Context, { merchantId, mode }: BookFilter): Promise<readonly string[]> =>
  merchantId === null
    ? (await context.query(listBooks, { mode, serviceBook: serviceBooks[mode] })).map((row) => row.merchantId)
    : [merchantId]

async function* readPages<Row extends { readonly id: string }>(
  first: string,
  read: (after: string) => Promise<readonly Row[]>,
) {
  for (let after: string | undefined = first; after !== undefined; ) {
    const page: readonly Row[] = await read(after)
    yield* page
    after = page.length < pageSize ? undefined : page.at(-1)?.id
  }
}

/**
 * All postings of a span of time, book by book and in order, read page by page on demand; nothing outside the span is
 * read. Final if the span ends at `finalUntil` or before.
 */
export async function* exportJournal(
  context: Context,
  span: BookFilter & { readonly from: Instant; readonly to: Instant },
) {
  const { from, to } = span
  const { after: first, before } = spanOfIds(from, to)
  for (const merchantId of await booksOf(context, span))
    yield* readPages(first, (after) =>
      context.query(listJournal, { merchantId, after, before, from, to, limit: pageSize }),
    )
}

/**
 * A merchant's available balance in a currency from one time to another, which may not be later than `finalUntil`: what
 * was owed at the start and at the end, in minor units, and the movements in order, read page by page on demand.
 */
export const openAccountStatement = async (
  context: Context,
  { merchantId, currency }: { readonly merchantId: string; readonly currency: string },
  { from, to }: { readonly from: Instant; readonly to: Instant },
) => {
  const wanted = { merchantId, account: account.available(merchantId), currency }
  const { after: first, before } = spanOfIds(from, to)
  const [sums] = await context.query(sumMovementsSince, { ...wanted, after: first, from, to })
  const movements = readPages(first, (after) =>
    context.query(listMovementsBetween, { ...wanted, from, to, after, before, limit: pageSize }),
  )
  const { owed = 0n, sinceFrom = 0n, sinceTo = 0n } = sums ?? {}
  const opening = owed - sinceFrom
  return { opening, closing: opening + sinceFrom - sinceTo, movements }
}

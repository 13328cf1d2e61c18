import type { Instant } from '../../rules/time.ts'
import { type Static, Type } from '../../operations/schema.ts'
import { readTime, wire } from '../../operations/fields.ts'
import { defaultPageSize, type FilterQuery, type OwnerQuery } from '../../operations/lists.ts'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { currencyDecimals, parseDecimal } from '../../rules/values/currency.ts'
import { refuseField } from '../../rules/refusal.ts'
import { type Count, type Cursor, isByValue, type ListPage } from '../../rules/list-page.ts'
import { instantOfId } from '../../rules/values/id-text.ts'

/** The owners that `OwnerQuery` names. */
export const ownersOf = ({ merchantId, mode }: Static<ReturnType<typeof Type.Object<typeof OwnerQuery>>>) => ({
  merchantId: merchantId ?? null,
  mode: mode ?? 'live',
})

/** How many rows a page has. */
export const pageSize = (limit: string | undefined): number => Number(limit ?? defaultPageSize)

/** The page and the next page's cursor, from rows that were read with one more than a page has. */
export const cutPage = <Row extends { readonly id: string }>(
  rows: readonly Row[],
  size: number,
): { page: Row[]; next: { nextCursor?: string } } => {
  const page = rows.slice(0, size)
  const last = page.at(-1)
  return { page, next: rows.length > size && last ? { nextCursor: last.id } : {} }
}

type PageWanted = { readonly cursor?: string; readonly limit?: string }

/** What a page reads: one row more than it has, to know whether there are more. */
export type PageSpan = { readonly before: string | null; readonly limit: number }

/** The page that a query asks for, as `pageOf` describes it. */
export const readPage = async <Name extends string, Row extends { readonly id: string }, Wire = Row>(
  name: Name,
  query: PageWanted,
  read: (span: PageSpan) => readonly Row[] | Promise<readonly Row[]>,
  toWire: (row: Row) => Wire | Promise<Wire> = (row) => row as unknown as Wire,
): Promise<Record<Name, Wire[]> & { nextCursor?: string }> => {
  const size = pageSize(query.limit)
  const { page, next } = cutPage(await read({ before: query.cursor ?? null, limit: size + 1 }), size)
  const rows = { [name]: await Promise.all(page.map(toWire)) } as Record<Name, Wire[]>
  return { ...rows, ...next }
}

type Given = Omit<Static<ReturnType<typeof Type.Object<typeof FilterQuery>>>, 'sort'>

const readAmount = (given: Given, field: 'amountFrom' | 'amountTo'): bigint | null => {
  const { currency } = given
  const text = given[field]
  if (text === undefined) return null
  if (currency === undefined) throw refuseField('currency', 'is needed with an amount.')
  const decimals = currencyDecimals(currency)
  const amount = parseDecimal(text, decimals)
  if (typeof amount === 'bigint') return amount
  throw refuseField(field, `has more than ${decimals} decimals, or is too large.`)
}

/** The times of a query. Refuses `validation_failed`. */
export const readSpan = (given: Pick<Given, 'from' | 'to'>): { from: Instant | null; to: Instant | null } => {
  const from = given.from === undefined ? null : readTime(given.from, 'from')
  const to = given.to === undefined ? null : readTime(given.to, 'to')
  if (from !== null && to !== null && from >= to) throw refuseField('from', 'must be before to.')
  return { from, to }
}

/** The conditions of a query. Refuses `validation_failed`. */
export const readFilter = (given: Given) => {
  const { requisiteId = null, method = null, bank = null, merchantId = null, currency = null } = given
  const amounts = { amountFrom: readAmount(given, 'amountFrom'), amountTo: readAmount(given, 'amountTo') }
  return { requisiteId, method, bank, merchantId, currency, ...amounts, ...readSpan(given) }
}

/** Whether a list is sorted by when its rows are due, instead of when they were created. */
const isDue = (sort: string): boolean => sort.endsWith('due')
/** Cursors have no time after the year 9999. */
const latestTime = Date.UTC(9999, 11, 31)

/** Reads the cursor of a request. Refuses `validation_failed` if it belongs to another sort. */
const readCursor = (cursor: string, sort: string): Cursor => {
  const [id = '', value, from = 'newest'] = cursor.split(':').toReversed()
  const isOfSort = value === undefined ? !isByValue(sort) : from === sort
  if (isOfSort && isDue(sort) && Number(value) > latestTime)
    throw refuseField('cursor', 'must be `nextCursor` of the previous page.')
  if (isOfSort) return { id, value: value === undefined ? null : BigInt(value) }
  const of = value === undefined ? 'a list by time' : `sort=${from}`
  throw refuseField('cursor', `belongs to ${of}, not to sort=${sort}: begin without a cursor.`)
}

const cursorText = (sort: string, { id, value }: Cursor): string => (value === null ? id : `${sort}:${value}:${id}`)

/** The page that a query asks for. Refuses `validation_failed`. */
export const readListPage = <Sort extends string>(
  given: { readonly cursor?: string; readonly limit?: string },
  sort: Sort,
): ListPage<Sort> => ({
  sort,
  after: given.cursor === undefined ? null : readCursor(given.cursor, sort),
  limit: pageSize(given.limit),
})

/** How a list is sorted. Refuses `validation_failed`: amounts of several currencies have no order. */
export const readSort = <Sort extends string>(
  { sort, currency }: { readonly sort?: Sort; readonly currency?: string },
  usual: NoInfer<Sort>,
): Sort => {
  if (currency === undefined && sort?.endsWith('amount'))
    throw refuseField('currency', 'is needed with a sort by amount.')
  return sort ?? usual
}

/** Characters of an export that are written together. */
const chunkLength = 16 * 1024

/** Chunks that are made at once, of all exports: each account may have a few, and one person many accounts. */
const chunksAtOnce = 4
let making = 0
const waiting: (() => void)[] = []

const takeTurn = async (): Promise<void> => {
  if (making < chunksAtOnce) making++
  else await new Promise<void>((begin) => void waiting.push(begin))
}

const endTurn = (): void => {
  const begin = waiting.shift()
  if (begin) begin()
  else making--
}

/**
 * Joins lines to chunks, and lets whatever has come meanwhile go first after each of them: health checks, and payments.
 * Without a pause, the lines of a page that is there and of a client that reads are written in one turn of the loop. Of
 * all exports, a few make a chunk at a time, in turn; none keeps its turn while its client reads.
 */
const inChunks = async function* (lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ''
  let hasTurn = true
  await takeTurn()
  try {
    for await (const line of lines) {
      chunk += line
      if (chunk.length < chunkLength) continue
      await setImmediate()
      endTurn()
      hasTurn = false
      yield chunk
      chunk = ''
      await takeTurn()
      hasTurn = true
    }
  } finally {
    if (hasTurn) endTurn()
  }
  if (chunk !== '') yield chunk
}

/** A body of lines that are made while it is sent. */
export const streamLines = (lines: Iterable<string> | AsyncIterable<string>): Readable => Readable.from(inChunks(lines))

/** Sends lines of CSV as a file. */
export const sendCsvLines = (
  reply: FastifyReply,
  name: string,
  lines: Iterable<string> | AsyncIterable<string>,
): FastifyReply =>
  reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(streamLines(lines))

const toSearchedTo = (sort: string, at: Cursor | null, currency: string | null) => {
  if (at === null) return {}
  if (!isByValue(sort)) return { searchedTo: wire.time(instantOfId(at.id)) }
  if (isDue(sort)) return { searchedTo: wire.time(Number(at.value)) }
  return at.value === null || currency === null ? {} : { searchedToAmount: wire.amount(at.value, currency) }
}

/** What a response says about its page and about all pages, next to the rows. */
export const toPageEnd = (
  sort: string,
  page: { readonly next: Cursor | null; readonly searchedTo: Cursor | null },
  { currency, count }: { readonly currency: string | null; readonly count: Count | null },
) => ({
  ...(page.next === null ? {} : { nextCursor: cursorText(sort, page.next) }),
  ...toSearchedTo(sort, page.searchedTo, currency),
  ...(count === null ? {} : { count }),
})

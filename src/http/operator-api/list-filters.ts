import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { currencyDecimals } from '../../domain/currency.ts'
import { csvLine } from '../../domain/csv.ts'
import { parseDecimal } from '../../domain/decimal.ts'
import { paymentMethods } from '../../domain/payment-method.ts'
import { refuseField } from '../../domain/refusal.ts'
import { type Count, type ListOrder, listOrders, type ListPage } from '../../domain/scan.ts'
import type { Instant } from '../../domain/time.ts'
import {
  BankCode,
  Currency,
  Id,
  OneOf,
  outsideTimes,
  parseTime,
  PatternText,
  PrintableText,
  Time,
  wireTime,
} from '../fields.ts'
import { pageOf, PageQuery, pageSize } from '../paging.ts'

const AmountText = (description: string) =>
  PatternText('must be an amount, such as 5000.37.', {
    pattern: '^(0|[1-9][0-9]{0,12})(\\.[0-9]{1,4})?$',
    description,
    examples: ['5000.37'],
  })

/** Query of a list with filters that payments and transfers share; all of them must be met. */
export const FilterQuery = {
  ...PageQuery,
  from: Type.Optional({ ...Time, description: 'Made at this time or later.' }),
  to: Type.Optional({ ...Time, description: 'Made before this time.' }),
  requisiteId: Type.Optional(Id),
  method: Type.Optional(OneOf(paymentMethods)),
  bank: Type.Optional({ ...BankCode, description: "Code of the requisite's bank." }),
  merchantId: Type.Optional(Id),
  currency: Type.Optional(Currency),
  amountFrom: Type.Optional(AmountText('This amount or more; needs `currency`.')),
  amountTo: Type.Optional(AmountText('This amount or less; needs `currency`.')),
  order: Type.Optional(OneOf(listOrders, { description: 'Default: `newest` first.' })),
  view: Type.Optional(
    PrintableText(60, { description: 'A view of yours, whose filters hold unless the request has others.' }),
  ),
  count: Type.Optional(OneOf(['true'], { description: 'Also count the rows of all pages.' })),
}

/** Answer of such a list. */
export const filteredPageOf = <Name extends string, Row extends TSchema>(name: Name, row: Row) =>
  Type.Object({
    ...pageOf(name, row).properties,
    searchedTo: Type.Optional({
      ...Time,
      description:
        'Present when the page stops before it is full, because few of many rows match: it has those made between its cursor and this time, and `nextCursor` goes on.',
    }),
    count: Type.Optional(
      Type.Object({
        matching: Type.Integer({ description: 'Rows of all pages.' }),
        isExact: Type.Boolean({ description: 'Where false, only 10,000 rows were looked at, and more may match.' }),
      }),
    ),
  })

type Given = Static<ReturnType<typeof Type.Object<typeof FilterQuery>>>

const readTime = (text: string | undefined, field: string): Instant | null => {
  if (text === undefined) return null
  const value = parseTime(text)
  if (value === undefined) throw refuseField('validation_failed', field, outsideTimes)
  return value
}

const readAmount = (given: Given, field: 'amountFrom' | 'amountTo'): bigint | null => {
  const { currency } = given
  const text = given[field]
  if (text === undefined) return null
  if (currency === undefined) throw refuseField('validation_failed', 'currency', 'is needed with an amount.')
  const decimals = currencyDecimals(currency)
  const amount = parseDecimal(text, decimals)
  if (typeof amount === 'bigint') return amount
  throw refuseField('validation_failed', field, `has more than ${decimals} decimals, or is too large.`)
}

/** The conditions of a query. Refuses `validation_failed`. */
export const readFilter = (given: Given) => {
  const { requisiteId = null, method = null, bank = null, merchantId = null, currency = null } = given
  const from = readTime(given.from, 'from')
  const to = readTime(given.to, 'to')
  if (from !== null && to !== null && from >= to) throw refuseField('validation_failed', 'from', 'must be before to.')
  const amounts = { amountFrom: readAmount(given, 'amountFrom'), amountTo: readAmount(given, 'amountTo') }
  return { requisiteId, method, bank, merchantId, currency, ...amounts, from, to }
}

/** The page that a query asks for. */
export const readListPage = (given: {
  readonly cursor?: string
  readonly limit?: string
  readonly order?: ListOrder
}): ListPage => ({
  order: given.order ?? 'newest',
  after: given.cursor ?? null,
  limit: pageSize(given.limit),
})

/** Query of the export of such a list: all pages. */
export const withoutPage = <Query extends typeof FilterQuery>({ cursor: _, limit: _l, count: _c, ...filters }: Query) =>
  filters

/** Rows read at a time for an export. */
const exported = 500

/** Sends all pages of a list as CSV with a header row. */
export const sendCsv = <Row>(
  reply: FastifyReply,
  name: string,
  order: ListOrder,
  columns: Readonly<Record<string, (row: Row) => string | number | undefined>>,
  read: (page: ListPage) => Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null }>,
): FastifyReply => {
  const cells = Object.values(columns)
  const lines = async function* (): AsyncGenerator<string> {
    yield csvLine(Object.keys(columns))
    for (let after: string | null = null; ; ) {
      const { rows, nextCursor } = await read({ order, after, limit: exported })
      for (const row of rows) yield csvLine(cells.map((cell) => cell(row) ?? null))
      if (nextCursor === null) return
      after = nextCursor
    }
  }
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(lines()))
}

/** What an answer says of its page and of all pages. */
export const toPageEnd = (
  page: { readonly nextCursor: string | null; readonly searchedTo: Instant | null },
  count: Count | null,
) => ({
  ...(page.nextCursor === null ? {} : { nextCursor: page.nextCursor }),
  ...(page.searchedTo === null ? {} : { searchedTo: wireTime(page.searchedTo) }),
  ...(count === null ? {} : { count }),
})

import type { TArray, TSchema } from 'typebox'
import { BankCode, Currency, Id, Time, idOf } from './fields.ts'
import { presented, Type } from './schema.ts'
import { merchantModes } from '../rules/merchants/merchant.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { listSorts } from '../rules/list-page.ts'

export const defaultPageSize = 50

const pageQuery = (most: 100 | 500) => ({
  'cursor?': presented(Id, 'Where the page starts, as the previous one says (`nextCursor`).'),
  'limit?': Type.NumberText(
    `must be a whole number from 1 to ${most}.`,
    { type: 'integer', minimum: 1, maximum: most },
    {
      pattern: most === 100 ? '^([1-9][0-9]?|100)$' : '^([1-9][0-9]?|[1-4][0-9]{2}|500)$',
      description: `Rows per page, 1 to ${most}. Default: ${defaultPageSize}.`,
      examples: [String(defaultPageSize)],
    },
  ),
})

export const PageQuery = pageQuery(500)

export const ShortPageQuery = pageQuery(100)

/** Query of what is of one mode: real money, or simulated money. */
export const ModeQuery = {
  'mode?': Type.OneOf(merchantModes, 'Real money (`live`, the default) or simulated money.'),
}

/** Query of what is of one merchant, or of all merchants of a mode. */
export const OwnerQuery = {
  'merchantId?': presented(idOf('merchant'), 'Only of this merchant, whatever its mode.'),
  ...ModeQuery,
}

/** Schema of the cursor that `readPage` gives. */
const NextCursor = presented(Id, 'Present when there are more rows.')

/** Response schema of a page: its rows under `name`, and the cursor of the next page. */
export const pageOf = <Name extends string, Row extends TSchema>(name: Name, row: Row) =>
  Type.Object({ ...({ [name]: Type.Array(row) } as Record<Name, TArray<Row>>), 'nextCursor?': NextCursor })

/** Schema of a sequence number in a query or as a cursor: text, because it may exceed what a double holds. */
export const SequenceNumber = (options: object) =>
  Type.Pattern('must be a whole number, as in an earlier response.', { pattern: '^(0|[1-9][0-9]{0,17})$', ...options })

const AmountText = (description: string) =>
  Type.NumberText(
    'must be an amount, such as 5000.37.',
    { type: 'number', minimum: 0 },
    { pattern: '^(0|[1-9][0-9]{0,12})(\\.[0-9]{1,4})?$', description, examples: ['5000.37'] },
  )

/** Cursor of a list that may be sorted by another value than time; it then contains the sort and that value. */
const ListCursor = Type.Pattern('must be `nextCursor` of the previous page.', {
  pattern: '^(-?[a-z]+:[0-9]{1,18}:)?[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
  description: 'Where the page starts, as the previous one of the same `sort` says (`nextCursor`).',
  examples: ['019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'],
})

/** Query of a list, with the filters that payments and transfers share; a row must meet all of them. */
export const FilterQuery = {
  ...PageQuery,
  'cursor?': ListCursor,
  'from?': presented(Time, 'Only those created at this time or later.'),
  'to?': presented(Time, 'Only those created before this time.'),
  'requisiteId?': presented(idOf('requisite'), 'Only on this requisite.'),
  'method?': Type.OneOf(paymentMethods, 'Only of this payment method.'),
  'bank?': presented(BankCode, 'Only on requisites of this bank, by its code, such as `sberbank`.'),
  'merchantId?': presented(idOf('merchant'), 'Only of this merchant.'),
  'currency?': presented(Currency, 'Only in this currency.'),
  'amountFrom?': AmountText('Only this amount or more; needs `currency`.'),
  'amountTo?': AmountText('Only this amount or less; needs `currency`.'),
  'sort?': Type.OneOf(
    listSorts,
    'Default: `newest` first. `amount` lists the smallest amounts first, `-amount` the largest; both need `currency`.',
  ),
  'count?': Type.OneOf(['true'], 'Also count the rows of all pages.'),
}

/** Response schema of a list with these filters. */
export const filteredPageOf = <Name extends string, Row extends TSchema>(name: Name, row: Row) =>
  Type.Object({
    ...pageOf(name, row).properties,
    'nextCursor?': Type.Text('Present when there are more rows.', '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'),
    'searchedTo?': presented(
      Time,
      'Present when few of many rows match and the page stopped before it was full: it may have fewer rows than `limit`, or none. It covers the rows created (with `sort=due`: due) between its cursor and this time; `nextCursor` continues from there.',
    ),
    'searchedToAmount?': Type.Number({
      description: 'The same for a list sorted by amount: the page covers the rows from its cursor to this amount.',
    }),
    'count?': Type.Object({
      matching: Type.Whole('Rows of all pages.'),
      isExact: Type.Flag('If false, only 10,000 rows were checked, and more may match.'),
    }),
  })

export const Csv = {
  description:
    'CSV (RFC 4180) with a header row. A text that a spreadsheet would take for a formula is prefixed with an apostrophe.',
  content: { 'text/csv': { schema: Type.Unsafe<string>({ type: 'string' }) } },
}

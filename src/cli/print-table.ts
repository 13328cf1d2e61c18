import { styleText } from 'node:util'
import Table from 'cli-table3'
import { currencyDecimals, quoteCurrency, quoteDecimals } from '../domain/currency.ts'
import { formatDecimal } from '../domain/decimal.ts'
import { noFeeCap } from '../domain/fee.ts'
import type { TermsAnswer } from '../http/operator-api/terms.ts'

/** What a cell of a table may hold; `undefined` is shown as a dash. */
export type Cell = string | number | undefined

const borders = [
  ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
]
const chars = { ...Object.fromEntries(borders.map((name) => [name, ''])), middle: '  ' }

const draw = (rows: readonly (readonly string[])[], rightColumns: ReadonlySet<number>): string => {
  const columns = rows[0]?.length ?? 0
  const table = new Table({
    chars,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
    colAligns: Array.from({ length: columns }, (_, index) => (rightColumns.has(index) ? 'right' : 'left')),
  })
  table.push(...rows.map((row) => [...row]))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

const bold = (text: string): string => styleText('bold', text, { stream: process.stdout })

/** Rows under their headers, aligned, without borders; a header that ends in `>` aligns its column right. */
export const printTable = (headers: readonly string[], rows: readonly (readonly Cell[])[]): string => {
  const right = new Set(headers.flatMap((header, index) => (header.endsWith('>') ? [index] : [])))
  const cells = rows.map((row) => row.map((cell) => String(cell ?? '–')))
  return draw([headers.map((header) => bold(header.replace('>', ''))), ...cells], right)
}

type CellName<Row> = keyof { [Name in keyof Row as Row[Name] extends Cell ? Name : never]: Row[Name] }

/** The columns of a table: header → the field of a row, or what makes the cell. */
export type Columns<Row> = Readonly<Record<string, CellName<Row> | ((row: Row) => Cell)>>

/** A table of objects; see `printTable` for the headers. */
export const printRows = <Row>(rows: readonly Row[], columns: Columns<Row>): string =>
  printTable(
    Object.keys(columns),
    rows.map((row) =>
      Object.values(columns).map((cell) => (typeof cell === 'function' ? cell(row) : (row[cell] as Cell))),
    ),
  )

/** Names and their values, one line each; what has no value is left out. */
export const printFields = (fields: Readonly<Record<string, Cell>>): string => {
  const given = Object.entries(fields).filter((entry) => entry[1] !== undefined)
  return draw(
    given.map(([name, value]) => [bold(name), String(value)]),
    new Set(),
  )
}

/** The parts of a text with an empty line between them; those that are undefined are left out. */
export const printSections = (...sections: readonly (string | undefined)[]): string =>
  sections.filter((section) => section !== undefined).join('\n\n')

/** An amount with all the decimals of its currency. */
export const printAmount = (value: number, currency: string): string =>
  `${value.toFixed(currency === quoteCurrency ? quoteDecimals : currencyDecimals(currency))} ${currency}`

/** A time of the wire for people: `2026-01-31 12:30:00Z`. */
export const printTime = (time: string | undefined): string | undefined =>
  time === undefined ? undefined : `${time.slice(0, 19).replace('T', ' ')}Z`

/** The line below a page that says how to get the next one. */
export const printNext = (nextCursor: string | undefined): string =>
  nextCursor === undefined ? '' : `\n\nThere are more: --cursor ${nextCursor}`

/** Names and values in one line: `slot-taken 3, day-limit 1`. */
export const printPairs = (pairs: Readonly<Record<string, string | number>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

/** A span for people, from milliseconds: `1 h 30 min`. */
export const printSpan = (ms: number): string => {
  const parts = [
    [Math.floor(ms / 86_400_000), 'd'],
    [Math.floor(ms / 3_600_000) % 24, 'h'],
    [Math.floor(ms / 60_000) % 60, 'min'],
    [(ms / 1000) % 60, 's'],
  ] as const
  const shown = parts.filter(([value]) => value > 0).map(([value, unit]) => `${value} ${unit}`)
  return shown.length > 0 ? shown.join(' ') : '0'
}

const usdt = (micro: number): string => formatDecimal(BigInt(micro), quoteDecimals).replace(/(?:\.|(?<![.0]))0+$/, '')

/** A fee plan in one line, such as `1.25 % + 0.5 USDT, at least 1 USDT, at most 20 USDT`. */
export const printFee = (terms: TermsAnswer): string =>
  [
    `${terms.feePpm / 10_000} %${terms.feeFixedMicro > 0 ? ` + ${usdt(terms.feeFixedMicro)} USDT` : ''}`,
    ...(terms.feeMinMicro > 0 ? [`at least ${usdt(terms.feeMinMicro)} USDT`] : []),
    ...(terms.feeMaxMicro < noFeeCap ? [`at most ${usdt(terms.feeMaxMicro)} USDT`] : []),
  ].join(', ')

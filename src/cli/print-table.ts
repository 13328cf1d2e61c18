import type { AccountName } from '../operations/schema.ts'
import { styleText } from 'node:util'
import { currencyDecimals, formatDecimal } from '../rules/values/currency.ts'
import { noFeeCap } from '../rules/merchants/fee.ts'
import { headingOf } from '../operations/field.ts'
import { Failure } from './failure.ts'
import { type Column, harmless, type LaidOut, layOutTable, widthOf, wrapText } from './lay-out-table.ts'
import { say } from './say.ts'
import { shortenIds } from '../rules/values/short-ids.ts'

/** The content of a table's cell; `undefined` is printed as a dash. */
export type Cell = string | number | undefined

/** How wide the output is, and which columns were requested. */
export type Screen = {
  /** Characters per line. `Infinity` has no limit: all columns are printed, and ids are whole. */
  readonly width: number
  readonly isBold: boolean
  readonly columns?: readonly string[] | undefined
}

/** A text, or a function that makes it for a screen. */
export type Printed = string | ((screen: Screen) => string)

/** The text to print on a screen; what others have written in it cannot move the cursor. */
export const render = (printed: Printed, screen: Screen): string =>
  typeof printed === 'string' ? harmless(say(printed)) : printed(screen)

const emphasize =
  ({ isBold }: Screen) =>
  (text: string): string =>
    isBold ? styleText('bold', text, { validateStream: false }) : text

/**
 * A column of a table: its heading, its cells, and how it is laid out: `>` aligns it to the right, `~` breaks its texts
 * into lines, `#` shortens ids, `%` shortens ids that were made together (of the rows of a file), keeping more of each.
 */
export type TableColumn<Row = Readonly<Record<string, unknown>>> = {
  readonly heading: string
  readonly mark: string
  readonly cell: (row: Row) => Cell
}

type Headed = Column & { readonly name: string; readonly mark: string }

const headed = <Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[]): Headed[] =>
  columns.map(({ heading, mark, cell }) => {
    const cells = rows.map((row) => String(cell(row) ?? ''))
    return {
      ...{ name: optionName(heading), header: say(heading).toUpperCase() },
      ...{ mark, alignsRight: mark === '>', wraps: mark === '~' },
      cells: cells.map((text) => harmless(text || '–')),
      isEmpty: cells.length > 0 && cells.every((text) => text === ''),
    }
  })

const chooseColumns = (columns: readonly Headed[], wanted: readonly string[]): Headed[] =>
  wanted.map((name) => {
    const found = columns.find((each) => each.name === optionName(name))
    if (found) return found
    const names = [...new Set(columns.map((each) => each.name))].join(', ')
    throw new Failure([`--columns: there is no column "${name}"; this list has ${names}.`], 2)
  })

const layOut = (columns: readonly Headed[], screen: Screen): LaidOut =>
  layOutTable(
    columns.map((column) =>
      '#%'.includes(column.mark || ' ') && screen.width < Infinity
        ? { ...column, cells: shortenIds(column.cells, { madeTogether: column.mark === '%' }) }
        : column,
    ),
    screen.width,
    emphasize(screen),
  )

/** The name of a column in `--columns`: `Paid 24 h` is `paid-24-h`. */
const optionName = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

const describeLeftOut = (leftOut: readonly string[], how: string): string =>
  leftOut.length === 0 ? '' : `\n\n${say(`Not shown: ${leftOut.join(', ')}.`)} ${say(how)}`

/** A table of rows, whose most important columns come first: if the line is too short, the last ones are left out. */
export const printRows =
  <Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[], how = 'See all: --wide'): Printed =>
  (screen) => {
    const { lines, leftOut } = layOut(headed(columns, rows), screen)
    return lines.join('\n') + describeLeftOut(leftOut, how)
  }

/** The table of a list; the columns of `--columns`, also those that are printed only then, are all printed. */
export const printList =
  <Row>(
    rows: readonly Row[],
    columns: readonly TableColumn<Row>[],
    onlyThen: readonly TableColumn<Row>[] = [],
  ): Printed =>
  (screen) => {
    if (!screen.columns) return render(printRows(rows, columns, 'See all: --wide; these: --columns <names>'), screen)
    const chosen = chooseColumns(headed([...columns, ...onlyThen], rows), screen.columns)
    return layOut(chosen, { ...screen, width: Infinity }).lines.join('\n')
  }

/** Names and their values, one per line, without those that have no value. */
export const printFields = (fields: Readonly<Record<string, Cell>>): Printed => printLines(Object.entries(fields))

/** The same for names that may occur twice. */
export const printLines =
  (lines: readonly (readonly [name: string, value: Cell])[]): Printed =>
  (screen) => {
    const given = lines.filter((entry) => entry[1] !== undefined)
    const width = Math.max(0, ...given.map(([name]) => widthOf(say(name))))
    const room = Math.max(20, screen.width - width - 2)
    return given
      .flatMap(([name, value]) =>
        wrapText(harmless(String(value)), room).map((line, index) => {
          const shown = index === 0 ? say(name) : ''
          return `${emphasize(screen)(shown)}${' '.repeat(width - widthOf(shown) + 2)}${line}`.trimEnd()
        }),
      )
      .join('\n')
  }

/** Texts with an empty line between them, without those that are undefined or empty. */
export const printSections =
  (...sections: readonly (Printed | undefined)[]): Printed =>
  (screen) =>
    sections
      .filter((section) => section !== undefined)
      .map((section) => render(section, screen))
      .filter((text) => text !== '')
      .join('\n\n')

/** An amount with all the decimals of its currency. */
export const printAmount = (value: number, currency: string): string =>
  `${value.toFixed(currencyDecimals(currency))} ${currency}`

/** The name of a requisite for operators: its label, else method, bank and last digits. */
export const printAccount = (requisite: AccountName | undefined, requisiteId?: string): string | undefined =>
  requisite === undefined
    ? requisiteId
    : (requisite.label ?? `${say(requisite.method)} ${requisite.bankIssuer} ${requisite.number}`)

/** A zone's offset from UTC as the end of a time: `Z`, `+03` or `+05:30`. */
const printOffset = (minutes: number): string => {
  if (minutes === 0) return 'Z'
  const pad = (value: number): string => String(value).padStart(2, '0')
  const past = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(past / 60))}${past % 60 === 0 ? '' : `:${pad(past % 60)}`}`
}

/** A time of the API in the zone of the terminal (`TZ`): `2026-01-31 12:30:00Z`, `… 15:30:00+03`. */
export const printTime = (time: string | undefined): string | undefined => {
  // A day stays a day.
  if (time === undefined || time.length === 10) return time
  const offset = -new Date(time).getTimezoneOffset()
  const local = new Date(Date.parse(time) + offset * 60_000).toISOString()
  return local.slice(0, 19).replace('T', ' ') + printOffset(offset)
}

/** What the answer of a list may say about its page and about all pages. */
type PageEnd = {
  readonly nextCursor?: string
  readonly nextAfter?: number
  readonly searchedTo?: string
  readonly searchedToAmount?: number
  readonly count?: { readonly matching: number; readonly isExact: boolean }
}

/** The lines below a page: the number of rows, how far the search came, and how to get the next page. */
export const printPageEnd = (answer: PageEnd): readonly (string | undefined)[] => {
  const { nextCursor, nextAfter, searchedTo, searchedToAmount, count } = answer
  const reached = searchedTo === undefined ? searchedToAmount : printTime(searchedTo)
  return [
    count && (count.isExact ? `${count.matching} in total.` : `${count.matching} among 10000; there may be more.`),
    nextCursor &&
      (reached === undefined
        ? `There are more: --cursor ${nextCursor}`
        : `Searched as far as ${reached}. To continue: --cursor ${nextCursor}`),
    nextAfter === undefined ? undefined : `There are more: --after ${nextAfter}`,
  ].map((line) => line || undefined)
}

/** An amount of a quote currency, from millionths. */
export const printQuote = (micro: number): string =>
  micro < noFeeCap ? formatDecimal(BigInt(micro), 6).replace(/(?:\.|(?<![.0]))0+$/, '') : 'no limit'

/** Minor units of any currency as an amount with two decimals. */
export const printMinor = (minor: number): string => (minor / 100).toFixed(2)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An identifier as words: `bankReference` is `bank reference`. */
const toWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** The name of a field as words: in another language than English its heading, if a declared field is called so. */
const sayName = (name: string): string => {
  const heading = headingOf(name)
  const said = say(heading)
  return said === heading ? toWords(name) : said.toLowerCase()
}

type SayName = (name: string) => string

const printEntries = (value: Readonly<Record<string, unknown>>, separator: string, nameOf: SayName): string =>
  Object.entries(value)
    .filter(([, member]) => member !== null && member !== '')
    .map(([name, member]) => `${nameOf(name)} ${printValue(member, nameOf)}`)
    .join(separator)

const printValue = (value: unknown, nameOf: SayName): string => {
  if (typeof value === 'boolean') return say(value ? 'yes' : 'no')
  if (isObject(value))
    return Object.keys(value).length === 0 ? say('nothing') : `(${printEntries(value, ', ', nameOf)})`
  if (!Array.isArray(value)) return String(value)
  return value.length === 0 ? say('none') : value.map((each) => printValue(each, nameOf)).join(', ')
}

/** Names and values in one line: `reason checked; amount 5; shares (order id order-42, amount 5)`. */
export const printDetails = (details: object, nameOf = sayName): string =>
  isObject(details) ? printEntries(details, '; ', nameOf) : printValue(details, nameOf)

/** The same of names that people have chosen, which stay as they are in every language. */
export const printPairs = (pairs: object): string => printDetails(pairs, toWords)

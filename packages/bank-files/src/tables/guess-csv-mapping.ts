import { type CsvIndexes, type CsvRole, plainName, recogniseColumns } from './csv-columns.ts'
import { dateParts, guessDateOrder } from './csv-date.ts'
import {
  csvDelimiters,
  type CsvMapping,
  findColumns,
  type GivenMapping,
  readCsvAmount,
  shownMark,
} from './csv-mapping.ts'
import { findDirectionColumn } from './direction-words.ts'
import type { LineFault } from '../file-fault.ts'
import type { StatementCharset } from '../statement.ts'
import { tidyText } from '../texts.ts'

/** First lines of a table, split into cells; a line that continues a cell of the one before it is empty. */
export type TableHead = readonly (readonly string[])[]

/** How many lines of a table are enough to find its columns. */
export const headLines = 200
/** How many of them are searched for the header. */
const maxHeaderLine = 50

/** The table that results from one way of splitting its lines. */
type Shape = Pick<CsvMapping, 'headerLine' | 'columns'> & { readonly indexes: CsvIndexes }

const hasMoney = ({ date, amount, credit, debit }: CsvIndexes): boolean =>
  date !== undefined && (amount ?? credit ?? debit) !== undefined

const noDateOrder =
  'It is not clear whether the day, the month or the year comes first in the dates: give their order (dateOrder) in the mapping.'

/** Longest name of a column that a mapping has. */
const maxNameLength = 200

// No control, format, private, unassigned or lone surrogate characters, which nobody can type.
const typable = /^[^\p{C}\p{Zl}\p{Zp}]+$/u

/** The name of a column as a mapping may have it; `undefined` if it is too long or contains untypable characters. */
const mappedName = (name: string | undefined): string | undefined => {
  const text = tidyText(name)
  return text !== null && text.length <= maxNameLength && typable.test(text) ? text : undefined
}

/** The columns as a mapping names them: by name, or by number if two have the same name or one has no typable name. */
const nameColumns = (header: readonly string[], indexes: CsvIndexes): CsvMapping['columns'] => {
  const names = header.map(plainName)
  return Object.fromEntries(
    Object.entries(indexes).map(([role, at]) => {
      const name = names[at] ?? ''
      const isClear = name !== '' && names.indexOf(name) === at && names.lastIndexOf(name) === at
      return [role, (isClear ? mappedName(header[at]) : undefined) ?? at + 1]
    }),
  )
}

/** The columns that the operator names, if some line is the header that has them. */
const findGiven = (
  header: readonly string[],
  columns: CsvMapping['columns'],
  headerLine: number,
): Shape | undefined => {
  const indexes = findColumns(header, { columns, headerLine })
  return 'reason' in indexes ? undefined : { headerLine, columns, indexes }
}

/** The header of a table and its columns; `undefined` if no line names a date and an amount. */
const findShape = (lines: TableHead, { columns, headerLine }: GivenMapping): Shape | undefined => {
  const isNumbered = columns !== undefined && Object.values(columns).every((each) => typeof each === 'number')
  if (columns && (headerLine === 0 || (headerLine === undefined && isNumbered))) return findGiven([], columns, 0)
  for (const [index, header] of lines.slice(0, maxHeaderLine).entries()) {
    if (headerLine !== undefined && headerLine !== index + 1) continue
    if (columns) {
      const shape = findGiven(header, columns, index + 1)
      if (shape) return shape
      continue
    }
    const indexes = recogniseColumns(header)
    if (hasMoney(indexes)) return { headerLine: index + 1, indexes, columns: nameColumns(header, indexes) }
  }
  return undefined
}

/** Adds the column of the direction, if the table has one amount column and the operator names no columns. */
const withDirection = (
  lines: TableHead,
  shape: Shape,
  given: GivenMapping,
  decimalMark: CsvMapping['decimalMark'],
): Shape => {
  const { indexes, headerLine } = shape
  if (given.columns || indexes.amount === undefined) return shape
  const header = lines[headerLine - 1] ?? []
  const rows = lines.slice(headerLine).filter((row) => dateParts(row[indexes.date ?? 0] ?? '') !== undefined)
  const columns = header.map((name, at) => ({
    name: plainName(name),
    words: rows.map((row) => (row[at] ?? '').trim()).filter((word) => word !== ''),
  }))
  // The sign of a sum says nothing about the rows.
  const amounts = rows.flatMap((row) => readCsvAmount(row[indexes.amount ?? 0] ?? '', decimalMark) ?? [])
  const hasSigns = amounts.some((amount) => /^[+-]/.test(amount))
  const direction = findDirectionColumn(columns, hasSigns, given.directions)
  if (direction === undefined) return shape
  const found = { ...indexes, direction }
  return { headerLine, indexes: found, columns: nameColumns(header, found) }
}

/**
 * The mapping of a table from its first lines and what the operator says about it; or why it is unclear. `undefined` if
 * no line names its columns.
 */
export const guessTableMapping = (
  lines: TableHead,
  given: GivenMapping,
  fixed: Pick<CsvMapping, 'charset' | 'delimiter'>,
): CsvMapping | LineFault | undefined => {
  const found = findShape(lines, given)
  if (!found) return undefined
  const rows = lines.slice(found.headerLine)
  const texts = (role: CsvRole): string[] => {
    const at = found.indexes[role]
    return at === undefined ? [] : rows.map((cells) => cells[at] ?? '')
  }
  const sums = [...texts('amount'), ...texts('credit'), ...texts('debit')]
  const dateOrder = given.dateOrder ?? guessDateOrder(texts('date')) ?? 'dmy'
  // Where no amount shows a mark, the reader refuses those whose mark may be thousands.
  const decimalMark = given.decimalMark ?? sums.map(shownMark).find((mark) => mark === '.' || mark === ',') ?? '.'
  if (dateOrder === 'unknown') return { line: Math.max(1, found.headerLine), reason: noDateOrder }
  const { headerLine, columns } = withDirection(lines, found, given, decimalMark)
  return {
    ...{ ...fixed, headerLine, columns, dateOrder, decimalMark },
    ...(given.directions ? { directions: given.directions } : {}),
    ...(given.allCredits === true ? { allCredits: true } : {}),
  }
}

/**
 * The mapping of a CSV from its first lines, as a delimiter splits them, and what the operator says about it; or why it
 * is unclear.
 */
export const guessCsvMapping = (
  split: (delimiter: CsvMapping['delimiter']) => TableHead,
  charset: StatementCharset,
  given: GivenMapping = {},
): CsvMapping | LineFault => {
  const delimiters = given.delimiter === undefined ? csvDelimiters : [given.delimiter]
  const guesses = delimiters.flatMap((delimiter) => {
    const cells = split(delimiter)
    const guess = guessTableMapping(cells, given, { charset, delimiter })
    if (!guess) return []
    // Without a header every delimiter would fit; the right one separates the date.
    const date = 'reason' in guess ? undefined : guess.columns.date
    const isCut = typeof date !== 'number' || cells.some((row) => dateParts(row[date - 1] ?? '') !== undefined)
    return [
      {
        guess,
        isCut,
        line: 'reason' in guess ? guess.line : guess.headerLine,
        width: Math.max(...cells.map((row) => row.length)),
      },
    ]
  })
  const [best] = guesses.toSorted((a, b) => Number(b.isCut) - Number(a.isCut) || a.line - b.line || b.width - a.width)
  if (best) return best.guess
  const named = given.columns ? 'has the columns of the mapping' : 'names the columns of a CSV (a date and an amount)'
  return {
    line: given.headerLine ?? 1,
    reason: `The file has no known format, and no line of it ${named}: choose another file, or give the mapping of the columns, by their numbers if the file has no header.`,
  }
}

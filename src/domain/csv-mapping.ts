import { type CsvIndexes, type CsvRole, plainName } from './csv-columns.ts'
import type { DirectionWords } from './direction-words.ts'
import { isDate, type LineFault, type StatementCharset } from './statement.ts'

/** Characters between the columns. */
export const csvDelimiters = [';', ',', '\t', '|'] as const
/** Orders of day, month and year, whatever is between them. */
export const csvDateOrders = ['dmy', 'mdy', 'ymd'] as const

/** How a bank writes its CSV: saved with a source, or guessed from the file. */
export type CsvMapping = {
  readonly charset: StatementCharset
  readonly delimiter: (typeof csvDelimiters)[number]
  /** Line of the columns' names, from 1; the rows follow it. 0 where nothing names them. */
  readonly headerLine: number
  /** The column of each role: its name as the header writes it, or its number from 1. */
  readonly columns: Readonly<Partial<Record<CsvRole, string | number>>>
  readonly dateOrder: (typeof csvDateOrders)[number]
  readonly decimalMark: ',' | '.'
  /** Words of the direction column that are the bank's own. */
  readonly directions?: DirectionWords
  /** The operator's word that amounts are credits unless a sign or a word says otherwise. */
  readonly allCredits?: boolean
}

/** What an operator says about a file; the rest of its mapping is guessed. */
export type GivenMapping = { readonly [Field in keyof CsvMapping]?: CsvMapping[Field] | undefined }

/** What says which rows of a statement are credits. */
export const directionBases = ['format', 'columns', 'words', 'operator', 'sign'] as const

/** What said which rows of a statement are credits, with the columns that it was read from. */
export type DirectionBasis = {
  readonly by: (typeof directionBases)[number]
  readonly columns: readonly (string | number)[]
}

/** What says which rows of a file are credits, by its format or the mapping of its columns. */
export const directionBasis = (mapping: CsvMapping | null): DirectionBasis => {
  if (mapping === null) return { by: 'format', columns: [] }
  const { credit, debit, direction, amount } = mapping.columns
  const of = (...columns: readonly (string | number | undefined)[]) => columns.filter((each) => each !== undefined)
  if (credit !== undefined || (debit !== undefined && amount === undefined))
    return { by: 'columns', columns: of(credit, debit) }
  if (direction !== undefined) return { by: 'words', columns: of(direction) }
  return { by: mapping.allCredits === true ? 'operator' : 'sign', columns: of(amount) }
}

/** The columns that a mapping names, as indexes from 0, by the cells of the header; or which one is not there. */
export const findColumns = (
  header: readonly string[],
  { columns, headerLine }: Pick<CsvMapping, 'columns' | 'headerLine'>,
): CsvIndexes | LineFault => {
  const names = header.map(plainName)
  const found: Partial<Record<CsvRole, number>> = {}
  for (const [role, column] of Object.entries(columns) as [CsvRole, string | number][]) {
    const at = typeof column === 'number' ? column - 1 : names.indexOf(plainName(column))
    if (at < 0) {
      const reason =
        headerLine === 0
          ? `Without a header the mapping names columns by their numbers, and "${column}" for ${role} is not one.`
          : `The header has no column "${column}", which the mapping takes for ${role}.`
      return { line: Math.max(1, headerLine), reason }
    }
    found[role] = at
  }
  return found
}

/** The day, month and year of a cell in the order in which they are written, and what follows them; or `undefined`. */
export const dateParts = (
  cell: string,
): { readonly parts: readonly [string, string, string]; readonly rest: string } | undefined => {
  const text = cell.trim()
  const [, first, second, third, rest = ''] =
    /^'?(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})(.*)$/s.exec(text) ??
    /^'?(\d{4})(?:(?=\d{4}(?!\d))|:)(\d\d):?(\d\d)(|\D.*)$/s.exec(text) ??
    []
  if (first === undefined || second === undefined || third === undefined) return undefined
  return { parts: [first, second, third], rest: rest.trim() }
}

/** The date of a cell, with its time of day where it has one, or `undefined`. */
export const readCsvDate = (cell: string, dateOrder: CsvMapping['dateOrder'], time: string): string | undefined => {
  const found = dateParts(cell)
  if (!found) return undefined
  const {
    parts: [first, second, third],
    rest,
  } = found
  const [year, month, dayOfMonth] =
    dateOrder === 'ymd' || first.length === 4
      ? [first, second, third]
      : dateOrder === 'dmy'
        ? [third, second, first]
        : [third, first, second]
  const full = year.length === 2 ? 2000 + Number(year) : Number(year)
  if (!isDate(full, Number(month), Number(dayOfMonth))) return undefined
  const date = `${full}-${month.padStart(2, '0')}-${dayOfMonth.padStart(2, '0')}`
  const clock = rest === '' ? time.trim() : rest.replace(/^[T,]\s*/i, '')
  if (clock === '') return date
  const [, hours, minutes, seconds = '00', zone = ''] =
    /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i.exec(clock) ?? []
  if (hours === undefined) return undefined
  return `${date}T${hours.padStart(2, '0')}:${minutes}:${seconds}${zone.toUpperCase()}`
}

/**
 * The decimal text of a cell such as `1 234,50`, `+5000.37`, `-12,00 ₽`, `- $12`, `12,00-`, `12.00 DR` or `($12.00)`, with
 * the sign that the cell writes, or `undefined` where it is not an amount.
 */
export const readCsvAmount = (cell: string, decimalMark: CsvMapping['decimalMark']): string | undefined => {
  const plain = cell
    .replace(/[\s\u00a0\u202f'’]/g, '')
    .replace(/(?:руб\.?|р\.|\p{Sc}|[A-Za-z]{3})$/iu, '')
    .replace(/^\((.*)\)$/, '-$1')
    .replace(/^([+-]?)\p{Sc}/u, '$1')
    .replace(/^(\d.*)CR$/i, '+$1')
    .replace(/^(\d.*)DR$/i, '-$1')
    .replace(/^([^-−–]*)[-−–]$/, '-$1')
    .replace(/^[−–]/, '-')
  const grouping = decimalMark === ',' ? /\.(?=\d{3}(?:\D|$))/g : /,(?=\d{3}(?:\D|$))/g
  const normal = plain
    .replace(grouping, '')
    .replace(',', '.')
    .replace(/^([+-]?)\./, '$10.')
  return /^[+-]?\d{1,15}(?:\.\d{1,6})?$/.test(normal) ? normal : undefined
}

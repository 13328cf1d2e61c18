import { type CsvIndexes, type CsvRole, plainName } from './csv-columns.ts'
import { withoutNoise } from '../amount.ts'
import type { DirectionWords } from './direction-words.ts'
import type { LineFault } from '../file-fault.ts'
import type { StatementCharset } from '../statement.ts'

/** Characters between columns. */
export const csvDelimiters = [';', ',', '\t', '|'] as const
/** Orders of day, month and year, with any separator. */
export const csvDateOrders = ['dmy', 'mdy', 'ymd'] as const

/** How a bank writes its CSV: saved with a source, or guessed from the file. */
export type CsvMapping = {
  readonly charset: StatementCharset
  readonly delimiter: (typeof csvDelimiters)[number]
  /** Line of the column names, from 1; the rows follow it. 0 if there is no such line. */
  readonly headerLine: number
  /** The column of each role: its name as in the header, or its number from 1. */
  readonly columns: Readonly<Partial<Record<CsvRole, string | number>>>
  readonly dateOrder: (typeof csvDateOrders)[number]
  readonly decimalMark: ',' | '.'
  /** The bank's own words in the direction column. */
  readonly directions?: DirectionWords
  /** The operator's statement that amounts are credits unless a sign or a word says otherwise. */
  readonly allCredits?: boolean
}

/** What an operator says about a file; the rest of its mapping is guessed. */
export type GivenMapping = { readonly [Field in keyof CsvMapping]?: CsvMapping[Field] | undefined }

/** What determines which rows of a statement are credits. */
export const directionBases = ['format', 'columns', 'words', 'operator', 'sign'] as const

/**
 * What determines which rows of a file are credits, by its format or the mapping of its columns, and the columns used
 * for it.
 */
export const directionBasis = (
  mapping: CsvMapping | null,
): { readonly by: (typeof directionBases)[number]; readonly columns: readonly (string | number)[] } => {
  if (mapping === null) return { by: 'format', columns: [] }
  const { credit, debit, direction, amount } = mapping.columns
  const of = (...columns: readonly (string | number | undefined)[]) => columns.filter((each) => each !== undefined)
  if (credit !== undefined || (debit !== undefined && amount === undefined))
    return { by: 'columns', columns: of(credit, debit) }
  if (direction !== undefined) return { by: 'words', columns: of(direction) }
  return { by: mapping.allCredits === true ? 'operator' : 'sign', columns: of(amount) }
}

/** The columns that a mapping names, as indexes from 0 in the header's cells; or which one is missing. */
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
          ? `Without a header the mapping names columns by their numbers, and "${column}" for ${role} is not one: give its number, from 1.`
          : `The header has no column "${column}", which the mapping takes for ${role}: change the mapping, or choose the file that it is for.`
      return { line: Math.max(1, headerLine), reason }
    }
    found[role] = at
  }
  return found
}

/**
 * The decimal mark that an amount shows; `unknown` if the three digits after its only mark may be thousands, and
 * `undefined` for an amount without a mark.
 */
export const shownMark = (cell: string): CsvMapping['decimalMark'] | 'unknown' | undefined => {
  const plain = cell.replace(/[^\d.,]/g, '')
  const at = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','))
  if (at < 0) return undefined
  const [mark, other] = plain[at] === ',' ? ([',', '.'] as const) : (['.', ','] as const)
  if (plain.length - at !== 4) return mark
  if (plain.indexOf(mark) < at) return other
  return plain.includes(other) ? mark : 'unknown'
}

/**
 * The decimal text of a cell such as `1 234,50`, `+5000.37`, `-12,00 ₽`, `- $12`, `12,00-`, `12.00 DR`, `.50` or
 * `($12.00)`, with the sign as written, or `undefined` if it is not an amount.
 */
export const readCsvAmount = (cell: string, decimalMark: CsvMapping['decimalMark']): string | undefined => {
  // Blanks group thousands: `12 34,50` may be two numbers.
  if (/\d[\s'’]+(?!\d{3}(?!\d))\d/.test(cell)) return undefined
  const plain = cell
    .replace(/\s|^['’]|(?<=\d)['’](?=\d)/g, '')
    .replace(/(?:руб\.?|р\.|\p{Sc}|[A-Za-z]{3})$/iu, '')
    .replace(/^\((.*)\)$/, '-$1')
    .replace(/^([+-]?)\p{Sc}/u, '$1')
    .replace(/^(\d.*)CR$/i, '+$1')
    .replace(/^(\d.*)DR$/i, '-$1')
    .replace(/^([^\p{Pd}−]*)[\p{Pd}−]$/u, '-$1')
    .replace(/^[\p{Pd}−]/u, '-')
  const pointed = decimalMark === '.' ? plain : plain.replace(/[.,]/g, (mark) => (mark === ',' ? '.' : ','))
  const normal = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.|$)/.test(pointed)
    ? pointed.replaceAll(',', '')
    : // Three digits after the other mark may be thousands.
      pointed.replace(/^([+-]?\d*),(?!\d{3}$)(\d*)$/, '$1.$2')
  const exact = withoutNoise(normal, 2)
  if (!/^[+-]?(?=\.?\d)\d{0,15}(?:\.\d{0,6})?$/.test(exact)) return undefined
  return exact.replace(/^([+-]?)\./, '$10.').replace(/\.$/, '')
}

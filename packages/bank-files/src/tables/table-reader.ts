import { continuesText, type CsvIndexes, type CsvRole, plainName } from './csv-columns.ts'
import {
  type CsvMapping,
  directionBasis,
  findColumns,
  type GivenMapping,
  readCsvAmount,
  shownMark,
} from './csv-mapping.ts'
import { directionOf, type DirectionWords, isOperationName, isSure } from './direction-words.ts'
import { FileFault, type LineFault } from '../file-fault.ts'
import { plainAccount } from '../texts.ts'
import type { StatementSink } from '../statement.ts'
import { amountRoles, type Cells, type CsvBalance, findBalance, type Marks, readCsvLine } from './read-csv-line.ts'

/** Most cells of a line. */
export const maxColumns = 1000
/** Longest text of a cell, as in Excel. */
const maxCellLength = 32_767

const markCure = 'Say which mark comes before the decimals (decimalMark in the mapping).'

const noDirection =
  'Nothing says which rows are credits: no amount has a sign, no column has words for it, and credits and debits have no columns of their own. Map the column of the direction, or say that all amounts without a sign are credits (allCredits).'

/** Reads the lines of a table by a mapping of its columns; all rows have one account unless a column says otherwise. */
export class TableReader {
  readonly #sink: StatementSink
  readonly #mapping: CsvMapping
  #columns: CsvIndexes = {}
  #header: readonly string[] = []
  readonly #marks: Marks = { sign: false, debitMinus: undefined }
  /** The columns of the text: some banks number them, or have a description next to a memo. */
  #texts: readonly number[] = []
  /** Columns that say what kind of operation a row is. */
  #operations: readonly number[] = []
  readonly #unsigned: UnsignedAmounts | undefined
  #firstRow: number | undefined
  #opening: string | null = null
  #closing: string | null = null
  #account: string | null = null
  /** The accounts that lines above the table name. */
  readonly #titles = new Set<string>()
  #currency: string | null = null
  /** Whether the operator or an amount has shown the decimal mark, and the first amount that may be thousands without it. */
  #isMarkShown: boolean
  #doubt: LineFault | undefined

  /** Reads by a mapping, as it is or as it was guessed from what the operator gave. */
  constructor(sink: StatementSink, mapping: CsvMapping, given: GivenMapping) {
    this.#sink = sink
    this.#mapping = mapping
    this.#isMarkShown = given.decimalMark !== undefined
    if (directionBasis(mapping).by === 'sign') this.#unsigned = new UnsignedAmounts(mapping.directions)
    if (mapping.headerLine === 0) this.#findColumns([])
  }

  take(cells: readonly string[], line: number): void {
    const { headerLine, decimalMark } = this.#mapping
    if (cells.length > maxColumns)
      throw new FileFault(
        line,
        `The line has more than ${maxColumns} cells, so it is not from a statement: choose another file, or give the delimiter in the mapping.`,
      )
    const long = cells.findIndex((each) => each.length > maxCellLength)
    if (long >= 0)
      throw new FileFault(
        line,
        `Cell ${long + 1} is longer than ${maxCellLength} characters, perhaps because a quotation mark does not end: correct it in a text editor.`,
      )
    // Empty lines are skipped before this: if the header line was empty, there are no columns.
    if (headerLine > 0 && line > headerLine && this.#header.length === 0) this.#findColumns([])
    if (headerLine > 0 && line === headerLine) this.#findColumns(cells)
    else if (line < headerLine) {
      this.#takeBalance(findBalance(cells, decimalMark), line)
      const account = findAccount(cells)
      if (account !== undefined) this.#titles.add(plainAccount(account))
    } else if (cells.some((each) => each.trim() !== '') && !this.#isHeader(cells)) this.#takeRow(cells, line)
  }

  /** Ends the table, whose last line is `line`. */
  end(line: number): void {
    const { headerLine } = this.#mapping
    if (line < headerLine)
      throw new FileFault(
        line,
        `The file ends before line ${headerLine}, where its columns should be named: choose another file, or change headerLine in the mapping.`,
      )
    if (this.#firstRow !== undefined && directionBasis(this.#mapping).by === 'sign' && !this.#marks.sign)
      this.#sink.fault(this.#firstRow, noDirection)
    const unclear = this.#unsigned?.findFault()
    for (const fault of [unclear, this.#isMarkShown ? undefined : this.#doubt])
      if (fault) this.#sink.fault(fault.line, fault.reason)
    this.#sink.balance({
      ...{ line, account: this.#account ?? this.#title, currency: this.#currency },
      ...{ opening: this.#opening, closing: this.#closing, credits: null, debits: null },
    })
  }

  #findColumns(header: readonly string[]): void {
    const columns = findColumns(header, this.#mapping)
    if ('reason' in columns) throw new FileFault(columns.line, columns.reason)
    if (columns.date === undefined || (columns.amount ?? columns.credit ?? columns.debit) === undefined)
      throw new FileFault(
        Math.max(1, this.#mapping.headerLine),
        'The mapping must name the columns of the date, and of the amount, credit or debit.',
      )
    this.#columns = columns
    this.#header = header
    this.#texts = textColumns(header, columns)
    this.#operations = header.flatMap((name, at) => (isOperationName(plainName(name)) ? [at] : []))
  }

  /** Whether a line repeats the header, at the top of a page. */
  #isHeader(cells: readonly string[]): boolean {
    return this.#header.length > 1 && cells.every((cell, index) => cell === this.#header[index])
  }

  /** Whether the comma of an amount has split it, in a comma-separated table. */
  #isCut(cells: readonly string[]): boolean {
    if (this.#mapping.delimiter !== ',' || this.#header.length === 0 || cells.length <= this.#header.length)
      return false
    return amountRoles.some((role) => {
      const at = this.#columns[role]
      return at !== undefined && /^\s*[-+]?\d+$/.test(cells[at] ?? '') && /^\d{1,2}\D*$/.test(cells[at + 1] ?? '')
    })
  }

  #takeRow(cells: readonly string[], line: number): void {
    if (this.#isCut(cells))
      return this.#sink.fault(
        line,
        'The row has more cells than the header: the comma of its amount is taken for the end of a cell. Get the file with semicolons, or as XLSX.',
      )
    const cell: Cells = (role: CsvRole) => {
      const column = this.#columns[role]
      if (role === 'text')
        return this.#texts
          .map((each) => cells[each] ?? '')
          .join(' ')
          .trim()
      return column === undefined ? '' : (cells[column] ?? '').trim()
    }
    if (!this.#isMarkShown) for (const role of amountRoles) this.#noteMark(cell(role), line)
    const found = readCsvLine(cells, cell, line, this.#mapping, this.#marks)
    if (found === undefined) return
    if (typeof found === 'string') this.#sink.skip(found)
    else if ('reason' in found) this.#sink.fault(line, found.reason)
    else if ('balance' in found) this.#takeBalance(found.balance, line)
    else {
      const row = { ...found.row, account: found.row.account ?? this.#title }
      this.#account = row.account ?? this.#account
      this.#currency = found.row.currency ?? this.#currency
      if (found.row.kind !== 'pending') {
        this.#firstRow ??= line
        const amount = readCsvAmount(cell('amount'), this.#mapping.decimalMark) ?? ''
        const words = this.#operations.map((at) => (cells[at] ?? '').trim())
        this.#unsigned?.take(amount, words, line)
      }
      this.#sink.row(row)
    }
  }

  /** The mapping is guessed from the first lines, which may have no decimals. */
  #noteMark(amount: string, line: number): void {
    const mark = shownMark(amount)
    if (mark === this.#mapping.decimalMark) this.#isMarkShown = true
    else if (mark === 'unknown')
      this.#doubt ??= { line, reason: `"${amount.slice(0, 40)}" may be thousands or decimals. ${markCure}` }
  }

  /** The only account named above the table; if there are several, it is unclear whose the rows are. */
  get #title(): string | null {
    const [only = null, ...others] = this.#titles
    return others.length > 0 ? null : only
  }

  #takeBalance(balance: CsvBalance | undefined, line: number): void {
    if (balance?.unread !== undefined)
      this.#sink.fault(
        line,
        `The ${balance.kind} balance "${balance.unread.slice(0, 40)}" is not an amount: correct it, or export the file again. ${markCure}`,
      )
    if (balance?.amount === undefined) return
    if (balance.kind === 'closing') this.#closing = balance.amount
    else this.#opening ??= balance.amount
  }
}

/** The column of the text, and those of the same name with other numbers, or of other texts. */
const textColumns = (header: readonly string[], columns: CsvIndexes): number[] => {
  const { text } = columns
  if (text === undefined) return []
  const nameOf = (name: string | undefined): string => plainName(name ?? '').replace(/ ?\d{1,2}$/, '')
  const name = nameOf(header[text])
  const taken = new Set(Object.values(columns))
  const others = header.flatMap((each, at) => {
    const isOther =
      (/\d$/.test(each) && nameOf(each) === name) || continuesText(plainName(each), plainName(header[text] ?? ''))
    return !taken.has(at) && isOther ? [at] : []
  })
  return [text, ...others].toSorted((one, other) => one - other)
}

// Words for the statement's own account, and words that may appear next to them in a title.
const account = /^(?:сч[её]т[ау]?|р\/сч?|iban|accounts?|konto(?:nummer|nr)?|rekening(?:nummer)?)$/u
const besides =
  /^(?:выписка|сведения|справка|работе|отч[её]т|операци[ияй]|движени[еяю]|движении|денежных|средств|по|о|номер|(?:лицев|расч[её]тн|текущ|карточн|банковск|рублев|валютн)\p{L}+|statement|history|transactions|of|for|bank|current|number|no|nr|id|your|rub|rur|usd|eur|kzt|uzs)$/u

// Whole numbers only: the visible digits of a masked number fit many accounts. Eight digits may be a date.
const number =
  /(?<![\p{L}\d*•.-])(?:[A-Z]{2}\d\d(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?|\d{5}[ .]\d{3}[ .]\d[ .]\d{4}[ .]\d{7}|(?!(?:19|20)\d{6}(?!\d))\d{8,34})(?![\p{L}\d*•-])/u

/** Most characters before an account number. */
const maxLabel = 100

const isLabel = (text: string): boolean => {
  const words = text.toLowerCase().match(/р\/сч?|[\p{L}\d]+/gu) ?? []
  return words.some((word) => account.test(word)) && words.every((word) => account.test(word) || besides.test(word))
}

/**
 * The account of the statement, if a line above its table names it: `Выписка по счёту № 4070…`, or `Account:` with the
 * number in the next cell. `undefined` for any other line.
 */
const findAccount = (cells: readonly string[]): string | undefined => {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  for (const [index, cell] of filled.entries()) {
    const text = `${cell} ${filled[index + 1] ?? ''}`.slice(0, 2 * maxLabel)
    const found = number.exec(text)
    if (found && found.index <= maxLabel && isLabel(text.slice(0, found.index))) return found[0]
  }
  return undefined
}

const cure = 'Map the column of the direction, or say that all amounts without a sign are credits (allCredits).'

/**
 * Finds unsigned amounts that may not be credits, in a table whose amounts have signs: they may be debits if other
 * amounts have a plus, or if their operation takes money out and never has a minus.
 */
class UnsignedAmounts {
  readonly #own: DirectionWords | undefined
  /** The first line with a plus, and the first without a sign. */
  #plus: number | undefined
  #plain: number | undefined
  /** Operations that take money out: those that had a minus, and for each the first amount without one. */
  readonly #minus = new Set<string>()
  readonly #unsigned = new Map<string, { readonly line: number; readonly word: string }>()

  constructor(own: DirectionWords | undefined) {
    this.#own = own
  }

  /** Takes the amount of a row, and the words in its operation columns. */
  take(amount: string, words: readonly string[], line: number): void {
    if (amount.startsWith('+')) this.#plus ??= line
    const isPlain = /^\d/.test(amount)
    if (isPlain) this.#plain ??= line
    for (const word of words) {
      if (directionOf(word, this.#own) !== 'debit') continue
      // There are too many kinds of purchases to keep them all; a sure word has only one meaning.
      const kind = isSure(word, this.#own) ? '' : (word.toLowerCase().split(' ')[0] ?? '')
      if (amount.startsWith('-') && kind !== '') this.#minus.add(kind)
      if (isPlain && !this.#unsigned.has(kind)) this.#unsigned.set(kind, { line, word })
    }
  }

  /** The uncertainty that remains after all rows. */
  findFault(): LineFault | undefined {
    if (this.#plus !== undefined && this.#plain !== undefined)
      return {
        line: this.#plain,
        reason: `The amount has no sign, but that of line ${this.#plus} has a plus, so it may be a debit. ${cure}`,
      }
    for (const [kind, { line, word }] of this.#unsigned) {
      const reason = `"${word.slice(0, 40)}" takes money out, but its amount has no minus, as others have. ${cure}`
      if (!this.#minus.has(kind)) return { line, reason }
    }
    return undefined
  }
}

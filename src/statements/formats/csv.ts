import { parse } from 'csv-parse'
import { type CsvMapping, type CsvRole, guessCsvMapping, plainName } from '../../domain/csv-mapping.ts'
import {
  type LineFault,
  refuseLine,
  refuseStatement,
  type StatementParser,
  type StatementSink,
} from '../../domain/statement.ts'
import { type Cells, readCsvLine } from './read-csv-line.ts'
import { type CsvBalance, findBalance } from './find-balance.ts'
import type { Format } from '../../domain/statement-format.ts'

/** Longest row; a longer one is not of a statement, and would fill the memory. */
const maxRowLength = 64 * 1024

type Info = { readonly record: readonly string[]; readonly info: { readonly lines: number } }

/** The column of each role that the mapping names. */
const findColumns = (header: readonly string[], { columns, headerLine }: CsvMapping): Map<CsvRole, number> => {
  const names = header.map(plainName)
  return new Map(
    (Object.entries(columns) as [CsvRole, string][]).map(([role, name]) => {
      const at = names.indexOf(plainName(name))
      if (at < 0)
        throw refuseLine(headerLine, `The header has no column "${name}", which the mapping takes for ${role}.`)
      return [role, at]
    }),
  )
}

/** Reads CSV by a mapping of its columns; a file is of one account unless a column says more. */
class CsvParser implements StatementParser {
  readonly #sink: StatementSink
  readonly #mapping: CsvMapping
  readonly #parser
  #columns: ReadonlyMap<CsvRole, number> = new Map()
  #line = 0
  #failure: Error | undefined
  #opening: string | null = null
  #closing: string | null = null
  #account: string | null = null
  #currency: string | null = null

  constructor(sink: StatementSink, mapping: CsvMapping) {
    this.#sink = sink
    this.#mapping = mapping
    this.#parser = parse({
      delimiter: mapping.delimiter,
      info: true,
      bom: true,
      relax_column_count: true,
      relax_quotes: false,
      max_record_size: maxRowLength,
    })
    this.#parser.on('error', (error: Error & { lines?: number }) => {
      const line = error.lines ?? this.#line + 1
      this.#failure ??= refuseLine(line, 'The row is not well-formed CSV: a quotation mark is missing or too much.')
    })
  }

  write(text: string): void {
    this.#parser.write(text)
    this.#drain()
  }

  async end(): Promise<void> {
    const ended = Promise.withResolvers<void>()
    this.#parser.once('end', ended.resolve)
    this.#parser.once('error', () => ended.resolve())
    this.#parser.end()
    while (this.#parser.readable && !this.#failure) {
      this.#drain()
      if (this.#parser.readableEnded) break
      await Promise.race([ended.promise, new Promise((next) => this.#parser.once('readable', next))])
    }
    this.#drain()
    const { headerLine } = this.#mapping
    if (this.#line < headerLine)
      throw refuseLine(this.#line, `The file has no line ${headerLine}, where its columns would be named.`)
    this.#sink.balance({
      ...{ line: this.#line, account: this.#account, currency: this.#currency },
      ...{ opening: this.#opening, closing: this.#closing, credits: null, debits: null },
    })
  }

  #drain(): void {
    if (this.#failure) throw this.#failure
    for (let next = this.#parser.read() as Info | null; next; next = this.#parser.read() as Info | null) {
      // Where it begins: a row with line breaks in its cells ends further down.
      const breaks = next.record.reduce((count, cell) => count + (cell.match(/\n/g)?.length ?? 0), 0)
      this.#line = next.info.lines - breaks
      this.#takeLine(next.record)
    }
  }

  #takeLine(cells: readonly string[]): void {
    const { headerLine, decimalMark } = this.#mapping
    if (this.#line === headerLine) this.#columns = findColumns(cells, this.#mapping)
    else if (this.#line < headerLine) this.#takeBalance(findBalance(cells, decimalMark))
    else if (cells.some((each) => each.trim() !== '')) this.#takeRow(cells)
  }

  #takeRow(cells: readonly string[]): void {
    const cell: Cells = (role) => {
      const column = this.#columns.get(role)
      return column === undefined ? '' : (cells[column] ?? '').trim()
    }
    const found = readCsvLine(cells, cell, this.#line, this.#mapping)
    if (typeof found === 'string') this.#sink.fault(this.#line, found)
    else if (found && 'balance' in found) this.#takeBalance(found.balance)
    else if (found) {
      this.#account = found.row.account ?? this.#account
      this.#currency = found.row.currency ?? this.#currency
      this.#sink.row(found.row)
    }
  }

  #takeBalance(balance: CsvBalance | undefined): void {
    if (balance?.amount === undefined) return
    if (balance.kind === 'closing') this.#closing = balance.amount
    else this.#opening ??= balance.amount
  }
}

/** Any other text: CSV, whose columns are the operator's mapping or are found in its header. */
export const csv: Format = {
  detects: () => true,
  open: ({ text, charset }, wanted) => {
    const mapping: CsvMapping | LineFault = wanted ?? guessCsvMapping(text, charset)
    if ('reason' in mapping) throw refuseStatement([mapping])
    return {
      charset: mapping.charset,
      mapping,
      // A column that a file leaves out cannot distinguish its rows from those of others.
      channel: `csv ${Object.values(mapping.columns).toSorted().join(', ')}`,
      parser: (sink) => new CsvParser(sink, mapping),
    }
  },
}

import { parse } from 'csv-parse'
import type { CsvMapping, GivenMapping } from '../../domain/csv-mapping.ts'
import { guessCsvMapping } from '../../domain/guess-csv-mapping.ts'
import {
  type LineFault,
  refuseLine,
  refuseStatement,
  type StatementParser,
  type StatementSink,
} from '../../domain/statement.ts'
import type { TextFormat } from '../../domain/statement-format.ts'
import { TableReader } from './table-reader.ts'

/** Longest row; a longer one is not from a statement, and would fill the memory. */
const maxRowLength = 64 * 1024

type Info = {
  readonly record: readonly string[]
  readonly info: { readonly lines: number; readonly empty_lines: number }
}

/** What is wrong with the quotation marks of a row, by the parser's error code. */
const faultOf = (code: string | undefined): string => {
  if (code === 'CSV_MAX_RECORD_SIZE') return 'it is far too long, perhaps because a quotation mark does not end'
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quotation mark begins the cell, and none ends it'
  return 'a quotation mark is missing, or one inside of the text is not doubled'
}

/** Reads CSV by a mapping of its columns. */
class CsvParser implements StatementParser {
  readonly #table: TableReader
  readonly #parser
  #line = 0
  /** Where the next row begins, unless empty lines come before it. */
  #next = 1
  /** How many empty lines precede it. */
  #empty = 0
  #failure: Error | undefined

  constructor(sink: StatementSink, mapping: CsvMapping) {
    this.#table = new TableReader(sink, mapping)
    this.#parser = parse({
      delimiter: mapping.delimiter,
      info: true,
      bom: true,
      relax_column_count: true,
      relax_quotes: false,
      // As rows, each would take as long as ten others: the parser creates an error for each row shorter than the
      // first.
      skip_empty_lines: true,
      max_record_size: maxRowLength,
    })
    this.#parser.on(
      'error',
      (error: Error & { lines?: number; code?: string; column?: unknown; empty_lines?: number }) => {
        const next = this.#next + (error.empty_lines ?? this.#empty) - this.#empty
        const line = error.code === 'CSV_QUOTE_NOT_CLOSED' ? next : (error.lines ?? next)
        const cell = typeof error.column === 'number' ? ` in cell ${error.column + 1}` : ''
        this.#failure ??= refuseLine(line, `The row is not well-formed CSV${cell}: ${faultOf(error.code)}.`)
      },
    )
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
    // An unclosed quotation mark becomes an error only at the end, after the stream is no longer readable.
    while (!this.#failure) {
      this.#drain()
      if (this.#parser.readableEnded) break
      await Promise.race([ended.promise, new Promise((next) => this.#parser.once('readable', next))])
    }
    this.#drain()
    this.#table.end(this.#line)
  }

  #drain(): void {
    if (this.#failure) throw this.#failure
    for (let next = this.#parser.read() as Info | null; next; next = this.#parser.read() as Info | null) {
      // The line where the row begins: a row with line breaks in its cells ends further down.
      const breaks = next.record.reduce((count, cell) => count + (cell.match(/\n/g)?.length ?? 0), 0)
      this.#line = next.info.lines - breaks
      this.#next = next.info.lines + 1
      this.#empty = next.info.empty_lines
      this.#table.take(next.record, this.#line)
    }
  }
}

const isWhole = (given: GivenMapping): given is CsvMapping =>
  (['charset', 'delimiter', 'headerLine', 'columns', 'dateOrder', 'decimalMark'] as const).every(
    (field) => given[field] !== undefined,
  )

/** Any other text is CSV; the operator maps its columns, or they are found in its header. */
export const csv: TextFormat = {
  detects: () => true,
  open: ({ text, charset }, given) => {
    const mapping: CsvMapping | LineFault = isWhole(given) ? given : guessCsvMapping(text, charset, given)
    if ('reason' in mapping) throw refuseStatement([mapping])
    return {
      charset: mapping.charset,
      mapping,
      // A column that a file lacks cannot distinguish its rows from those of other files.
      channel: `csv ${Object.values(mapping.columns).map(String).toSorted().join(', ')}`,
      parser: (sink) => new CsvParser(sink, mapping),
    }
  },
}

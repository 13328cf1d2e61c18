import { parse } from 'csv-parse'
import { parse as parseWhole } from 'csv-parse/sync'
import type { CsvMapping, GivenMapping } from '../tables/csv-mapping.ts'
import { type CsvError, explainCsvError, RecordLines } from '../tables/csv-records.ts'
import { guessCsvMapping, headLines, type TableHead } from '../tables/guess-csv-mapping.ts'
import { FileFault, type LineFault } from '../file-fault.ts'
import type { StatementParser, StatementSink } from '../statement.ts'
import { type FileHead, headBytes, type TextFormat } from '../format.ts'
import { TableReader } from '../tables/table-reader.ts'

/** Longest row; a longer one is not from a statement, and would fill the memory. */
const maxRowLength = 64 * 1024

type Info = { readonly record: readonly string[]; readonly info: { readonly empty_lines: number } }

// Empty lines as rows would each take as long as ten others: the parser creates an error for each row shorter than the
// first.
const options = { bom: true, relax_column_count: true, skip_empty_lines: true } as const

/** The first lines of a file in cells. The reader refuses quotation marks out of place; here they hide no header. */
const splitHead = ({ text, bytes }: FileHead, delimiter: string): TableHead => {
  // The last line of the head of a longer file is cut off: an amount in it would lack digits.
  const isCut = bytes.length >= headBytes
  const whole = isCut ? text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1) : text
  const lines = new RecordLines()
  const head: (readonly string[])[] = []
  const take = (record: readonly string[], info: Info['info']): undefined => {
    const line = lines.take(record, info)
    while (head.length < line - 1) head.push([])
    head.push(record)
  }
  let isOpen = false
  const relaxed = { relax_quotes: true, skip_records_with_error: true, on_skip: () => void (isOpen = true) }
  parseWhole(whole, { ...options, ...relaxed, delimiter, to: headLines, on_record: take })
  if (isOpen && !isCut)
    return whole.split(/\r\n|\n|\r/, headLines).map((line) => line.replaceAll('"', '').split(delimiter))
  return head
}

/** Reads CSV by a mapping of its columns. */
class CsvParser implements StatementParser {
  readonly #table: TableReader
  readonly #parser
  readonly #lines = new RecordLines()
  /** Where the last row began. */
  #line = 0
  #failure: Error | undefined

  constructor(sink: StatementSink, mapping: CsvMapping, given: GivenMapping) {
    this.#table = new TableReader(sink, mapping, given)
    this.#parser = parse({ ...options, info: true, delimiter: mapping.delimiter, max_record_size: maxRowLength })
    this.#parser.on('error', (error: CsvError) => {
      this.#failure ??= new FileFault(this.#lines.find(error.empty_lines), explainCsvError(error))
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
      this.#line = this.#lines.take(next.record, next.info)
      this.#table.take(next.record, this.#line)
    }
  }
}

const isWhole = (given: GivenMapping): given is CsvMapping =>
  (['charset', 'delimiter', 'headerLine', 'columns', 'dateOrder', 'decimalMark'] as const).every(
    (field) => given[field] !== undefined,
  )

/** Any other text is CSV; the operator maps its columns, or they are found in its header. */
export const format: TextFormat = {
  detects: () => true,
  open: (head, given) => {
    const mapping: CsvMapping | LineFault = isWhole(given)
      ? given
      : guessCsvMapping((delimiter) => splitHead(head, delimiter), head.charset, given)
    if ('reason' in mapping) throw new FileFault(mapping.line, mapping.reason)
    return {
      charset: mapping.charset,
      mapping,
      // A column that a file lacks cannot distinguish its rows from those of other files.
      channel: `csv ${Object.values(mapping.columns).map(String).toSorted().join(', ')}`,
      parser: (sink) => new CsvParser(sink, mapping, given),
    }
  },
}

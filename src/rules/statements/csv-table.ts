/** A row of a CSV file by column, without empty cells, and the line where it begins. */
export type CsvRow = { readonly line: number; readonly cells: Readonly<Record<string, string>> }

/** What `csv-parse` counts while it reads; also in its errors. */
type Counts = { readonly empty_lines: number }

/** Numbers records by the line where each begins; `csv-parse` counts a CRLF within a cell as two lines. */
export class RecordLines {
  /** Where the next record begins, unless empty lines come before it. */
  #next = 1
  /** How many empty lines precede it. */
  #empty = 0

  take(record: readonly string[], { empty_lines }: Counts): number {
    const line = this.find(empty_lines)
    this.#next = line + 1
    for (const cell of record) this.#next += cell.match(/\r\n|\n|\r(?!$)/g)?.length ?? 0
    this.#empty = empty_lines
    return line
  }

  /** Where the next record begins if the file has had this many empty lines. */
  find(emptyLines = this.#empty): number {
    return this.#next + emptyLines - this.#empty
  }
}

/** An error of `csv-parse`. */
export type CsvError = Error & { readonly code?: string; readonly column?: unknown; readonly empty_lines?: number }

const faults: Readonly<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: 'it is far too long, perhaps because a quotation mark does not end',
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark begins the cell, and none ends it',
}

/** What is wrong with a row that is not CSV, by the error of `csv-parse`. */
export const explainCsvError = ({ code = '', column }: CsvError): string => {
  const cell = typeof column === 'number' ? ` in cell ${column + 1}` : ''
  const fault = faults[code] ?? 'a quotation mark is missing, or one inside of the text is not doubled'
  return `The row is not well-formed CSV${cell}: ${fault}. Correct it in a text editor.`
}

/** Reads a whole text: `parse` of `csv-parse`, in the build of the place where it runs. */
type Parse = (text: string, options: object) => unknown

type Row = { readonly line: number; readonly record: readonly string[] }

/** The records of a text with their lines; or what is wrong with it. */
const readRecords = (parse: Parse, text: string, delimiter: string): readonly Row[] | string => {
  const lines = new RecordLines()
  const rows: Row[] = []
  const take = (record: readonly string[], counts: Counts): void =>
    void rows.push({ record, line: lines.take(record, counts) })
  try {
    parse(text, { delimiter, bom: true, trim: true, relax_column_count: true, skip_empty_lines: true, on_record: take })
    return rows
  } catch (error) {
    const wrong = error as CsvError
    return `Line ${lines.find(wrong.empty_lines)}: ${explainCsvError(wrong)}`
  }
}

/**
 * The rows of a CSV text whose first line names the columns, separated by commas, semicolons or tabs; or what is wrong
 * with it. An unknown column is a fault, because it may be a misspelt name.
 */
export const readCsvTable = (
  parse: Parse,
  text: string,
  needed: readonly string[],
  optional: readonly string[],
): readonly CsvRow[] | string => {
  const firstLine = text.split(/[\r\n]/, 1)[0] ?? ''
  const records = readRecords(parse, text, [';', '\t'].find((each) => firstLine.includes(each)) ?? ',')
  if (typeof records === 'string') return records
  const [first, ...others] = records
  const names = first?.record ?? []
  const missing = needed.filter((name) => !names.includes(name))
  const unknown = names.filter((name) => !needed.includes(name) && !optional.includes(name))
  if (missing.length > 0 || unknown.length > 0)
    return [
      ...(missing.length > 0 ? [`The first line does not name ${missing.join(', ')}.`] : []),
      ...(unknown.length > 0 ? [`There is an unknown column: ${unknown.join(', ')}.`] : []),
      `The first line names the columns: ${needed.join(', ')}; optional: ${optional.join(', ')}.`,
    ].join(' ')
  const rows = others.filter(({ record }) => record.some((cell) => cell !== ''))
  if (rows.length === 0) return 'There are no rows below the first line.'
  const long = rows.find(({ record }) => record.length > names.length)
  if (long)
    return `Line ${long.line} has ${long.record.length} cells, but there are ${names.length} columns: put quotation marks around a cell that contains the separator.`
  return rows.map(({ line, record }) => ({
    line,
    cells: Object.fromEntries(names.flatMap((name, at) => (record[at] ? [[name, record[at]]] : []))),
  }))
}

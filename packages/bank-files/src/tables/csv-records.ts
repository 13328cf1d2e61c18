/** What `csv-parse` counts while it reads; also in its errors. */
export type CsvCounts = { readonly empty_lines: number }

/** Numbers records by the line where each begins; `csv-parse` counts a CRLF within a cell as two lines. */
export class RecordLines {
  /** Where the next record begins, unless empty lines come before it. */
  #next = 1
  /** How many empty lines precede it. */
  #empty = 0

  take(record: readonly string[], { empty_lines }: CsvCounts): number {
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

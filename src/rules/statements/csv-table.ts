import { type CsvCounts, type CsvError, explainCsvError, RecordLines } from 'bank-files/pure'

export type CsvRow = { readonly line: number; readonly cells: Readonly<Record<string, string>> }

/** Reads a whole text: `parse` of `csv-parse`, in the build of the place where it runs. */
type Parse = (text: string, options: object) => unknown

type Row = { readonly line: number; readonly record: readonly string[] }

const readRecords = (parse: Parse, text: string, delimiter: string): readonly Row[] | string => {
  const lines = new RecordLines()
  const rows: Row[] = []
  const take = (record: readonly string[], counts: CsvCounts): void =>
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

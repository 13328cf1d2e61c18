/** A row of a CSV file by column, and the line where it begins. */
export type CsvRow = { readonly line: number; readonly cells: Readonly<Record<string, string>> }

/** What is wrong with a file as a whole. */
class CsvFault extends Error {}

type Field = { readonly text: string; readonly next: number }

const readQuoted = (text: string, from: number, line: number): Field => {
  let field = ''
  for (let at = from + 1; ; ) {
    const end = text.indexOf('"', at)
    if (end === -1) throw new CsvFault(`The quotation mark of line ${line} does not end.`)
    field += text.slice(at, end)
    if (text[end + 1] !== '"') return { text: field, next: end + 1 }
    field += '"'
    at = end + 2
  }
}

const readPlain = (text: string, from: number, delimiter: string): Field => {
  let end = from
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end++
  return { text: text.slice(from, end).trim(), next: end }
}

/** The rows of a CSV text (RFC 4180) as fields, each with its line; empty lines are left out. */
const splitRows = (
  text: string,
  delimiter: string,
): { readonly line: number; readonly fields: readonly string[] }[] => {
  const rows: { line: number; fields: string[] }[] = []
  let line = 1
  let start = line
  let fields: string[] = []
  for (let at = 0; at <= text.length; ) {
    const { text: field, next } = text[at] === '"' ? readQuoted(text, at, line) : readPlain(text, at, delimiter)
    line += field.split('\n').length - 1
    fields.push(field)
    at = next + 1
    if (text[next] === delimiter) continue
    if (next < text.length && text[next] !== '\n')
      throw new CsvFault(`Line ${line} has text behind a quotation mark that ends.`)
    if (fields.some((each) => each !== '')) rows.push({ line: start, fields })
    fields = []
    line++
    start = line
  }
  return rows
}

/**
 * The rows of a CSV file whose first line names the columns, separated by commas, semicolons or tabs. Throws a
 * `CsvFault` for a file that lacks a required column or has an unknown one, which may be a misspelt name.
 */
export const readCsv = (given: string, needed: readonly string[], optional: readonly string[]): CsvRow[] => {
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const [firstLine = ''] = text.split('\n', 1)
  const delimiter = [';', '\t'].find((each) => firstLine.includes(each)) ?? ','
  const [head, ...rows] = splitRows(text, delimiter)
  const names = head?.fields ?? []
  const missing = needed.filter((name) => !names.includes(name))
  if (missing.length > 0) throw new CsvFault(`The first line does not name the column ${missing.join(', ')}.`)
  const unknown = names.filter((name) => !needed.includes(name) && !optional.includes(name))
  if (unknown.length > 0) throw new CsvFault(`There is an unknown column: ${unknown.join(', ')}.`)
  if (rows.length === 0) throw new CsvFault('There are no rows below the first line.')
  return rows.map(({ line, fields }) => ({
    line,
    cells: Object.fromEntries(names.flatMap((name, index) => (fields[index] ? [[name, fields[index]]] : []))),
  }))
}

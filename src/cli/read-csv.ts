import { parse } from 'csv-parse/sync'
import { Failure } from './failure.ts'
import { readText, type Surroundings } from './surroundings.ts'

/** A row of a CSV file by column, and the line on which it begins. */
export type CsvRow = { readonly line: number; readonly cells: Readonly<Record<string, string>> }

/**
 * Reads the rows of a CSV file whose first line names the columns, separated by commas, semicolons or tabs. Refuses a
 * file without a needed column, or with an unknown one, which may be misspelt.
 */
export const readCsv = async (
  surroundings: Surroundings,
  path: string,
  needed: readonly string[],
  optional: readonly string[],
): Promise<CsvRow[]> => {
  const text = await readText(surroundings, path)
  const head = text.split(/\r?\n/, 1)[0] ?? ''
  const delimiter = [';', '\t'].find((each) => head.includes(each)) ?? ','
  let rows: { record: Record<string, string>; info: { lines: number } }[]
  try {
    rows = parse(text, { columns: true, delimiter, trim: true, skip_empty_lines: true, info: true })
  } catch (error) {
    throw new Failure([`${path} is not well-formed CSV: ${error instanceof Error ? error.message : ''}.`], 2)
  }
  const names = head.split(delimiter).map((name) => name.trim().replace(/^"(.*)"$/, '$1'))
  const missing = needed.filter((name) => !names.includes(name))
  const unknown = names.filter((name) => !needed.includes(name) && !optional.includes(name))
  if (missing.length > 0 || unknown.length > 0) {
    throw new Failure(
      [
        ...(missing.length > 0 ? [`${path} has no column ${missing.join(', ')}.`] : []),
        ...(unknown.length > 0 ? [`${path} has an unknown column ${unknown.join(', ')}.`] : []),
        `The first line names the columns: ${needed.join(', ')}; optional: ${optional.join(', ')}.`,
      ],
      2,
    )
  }
  if (rows.length === 0) throw new Failure([`${path} has no rows below the first line.`], 2)
  return rows.map(({ record, info }) => ({
    line: info.lines,
    cells: Object.fromEntries(Object.entries(record).filter(([, cell]) => cell !== '')),
  }))
}

/** Works on a row; a refusal names its line. */
export const atLine = async <T>({ line }: CsvRow, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure) throw error.with({ detail: `line ${line}: ${error.problem.detail}` })
    if (error instanceof Error) throw new Failure([`line ${line}: ${error.message}`], 2)
    throw error
  }
}

/** A failure in which the service's names of rows, such as `requisites.3.number`, are replaced by their lines. */
export const namingLines = (error: unknown, name: string, rows: readonly CsvRow[]): unknown =>
  error instanceof Failure && error.problem.errors
    ? error.with({
        errors: error.problem.errors.map((each) => ({
          ...each,
          field: each.field.replace(
            new RegExp(`^${name}\\.(\\d+)\\.`),
            (_, index: string) => `line ${rows[Number(index)]?.line}: `,
          ),
        })),
      })
    : error

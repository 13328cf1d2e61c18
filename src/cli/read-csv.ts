import { parse } from 'csv-parse/sync'
import { type CsvRow, readCsvTable } from '../rules/statements/csv-table.ts'
import { Failure } from './failure.ts'
import { readText, type Surroundings } from './surroundings.ts'

/** The rows of a CSV file whose first line names the columns; any other file is refused. */
export const readCsv = async (
  surroundings: Surroundings,
  path: string,
  needed: readonly string[],
  optional: readonly string[],
): Promise<readonly CsvRow[]> => {
  const rows = readCsvTable(parse, await readText(surroundings, path), needed, optional)
  if (typeof rows === 'string') throw new Failure([`${path} cannot be read. ${rows}`], 2)
  return rows
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

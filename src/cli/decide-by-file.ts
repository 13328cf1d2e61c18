import type { CsvRow } from '../rules/statements/csv-table.ts'
import { hasRefused } from '../operations/decided.ts'
import { command } from './commands.ts'
import { flag, option, required } from './inputs.ts'
import type { Printed } from './print-table.ts'
import { readDocument } from './read-arguments.ts'
import { readCsv } from './read-csv.ts'
import type { Session } from './session.ts'

/** The result for one item: decided, or only possible with `--preview`. */
type Decided = { readonly state: string }

/** The items to decide about, such as `transfers`, and how a row of a CSV file becomes one. */
type ByFile<Name extends string, Answer> = {
  readonly name: Name
  readonly description: string
  /** The form of an item in the JSON array, for the help. */
  readonly form: string
  readonly aboutReason: string
  readonly needed: readonly string[]
  readonly optional: readonly string[]
  readonly toWanted: (session: Session, row: CsvRow) => Promise<object>
  readonly print: (answer: Answer) => Printed
}

/**
 * A command that decides about many items of a file: JSON as the API takes it, or CSV. It exits with 1 if one was
 * refused.
 */
export const decideByFile = <Name extends 'transfers' | 'disputes', Answer extends Record<Name, readonly Decided[]>>(
  wanted: ByFile<Name, Answer>,
) => {
  const { name, needed, optional } = wanted
  const readDecisions = async (session: Session, file: string, others: object): Promise<string | object> => {
    if (file.endsWith('.json')) {
      const more = JSON.stringify(others).slice(1, -1)
      return `{${more === '' ? '' : `${more},`}"${name}":${await readDocument(session.surroundings, file, true)}}`
    }
    const rows: object[] = []
    for (const row of await readCsv(session.surroundings, file, needed, optional))
      rows.push(await wanted.toWanted(session, row))
    return { [name]: rows, ...others }
  }
  return command({
    description: wanted.description,
    inputs: {
      file: required('--file <path>', `CSV, or JSON array of ${wanted.form}`),
      note: option('--reason <reason>', wanted.aboutReason),
      key: option('--key <text>', 'your own key: repeating the command with the same key changes nothing'),
      preview: flag('--preview', 'only show what each would do, with its ledger entries'),
    },
    run: async (session, { file, note, key: idempotencyKey, preview }) => {
      const body = await readDecisions(session, file, { note, preview })
      const options = { body, idempotencyKey, patient: true } as const
      const answer = await session.call<Answer>(`POST /${name}/decide`, {}, options)
      session.show(answer, wanted.print)
      if (hasRefused(answer.body[name])) session.fail()
    },
  })
}

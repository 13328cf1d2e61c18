import { join, resolve } from 'node:path'
import { command } from './commands.ts'
import { Failure } from './failure.ts'
import { argument } from './inputs.ts'
import { serviceVariables } from './service-settings.ts'
import type { Session } from './session.ts'

const folder = argument('<folder>', 'where the export is; a new one for an export')

/** Opens the database that a service started in this folder would open, and closes it again. */
const withDatabase = async (
  session: Session,
  mustExist: boolean,
  work: (
    opened: Awaited<ReturnType<typeof import('./database-copy/open-for-copy.ts')['openForCopy']>>,
  ) => Promise<void>,
): Promise<void> => {
  const { openForCopy } = await import('./database-copy/open-for-copy.ts')
  try {
    const opened = await openForCopy({
      variables: serviceVariables(session.surroundings),
      folder: session.surroundings.folder,
      mustExist,
    })
    try {
      await work(opened)
    } finally {
      await opened.database.close()
    }
  } catch (error) {
    throw new Failure([(error as Error).message], 1)
  }
}

const progress =
  ({ isJson, surroundings }: Session) =>
  (file: string, rows: string): void => {
    if (!isJson && rows !== '0') surroundings.errors.write(`${file}: ${rows}\n`)
  }

const countRows = (tables: readonly { readonly rows: string }[]): bigint =>
  tables.reduce((sum, { rows }) => sum + BigInt(rows), 0n)

/** `payin export` and `payin import`. */
export const copyCommands = {
  export: command({
    description:
      "Export the whole database that this folder's settings name into a new folder, to move it to another engine or server. The embedded database must not be in use.",
    inputs: { folder },
    run: (session, { folder: given }) =>
      withDatabase(session, true, async ({ database, version }) => {
        const { exportDatabase } = await import('./database-copy/export-database.ts')
        const target = resolve(session.surroundings.folder, given)
        const onTable = progress(session)
        const now = session.surroundings.clock()
        const manifest = await exportDatabase(database, { folder: target, version, now, onTable })
        session.showValue(
          manifest,
          ({ tables }) =>
            `Exported ${countRows(tables)} rows of ${tables.length} tables to ${target}. See ${join(target, 'manifest.json')}.`,
        )
      }),
  }),
  import: command({
    description:
      "Import an exported folder into the database that this folder's settings name, which must be empty, and compare all rows.",
    inputs: { folder },
    run: (session, { folder: given }) =>
      withDatabase(session, false, async ({ database, migrate, hasKey }) => {
        const { importDatabase } = await import('./database-copy/import-database.ts')
        const source = resolve(session.surroundings.folder, given)
        const onTable = progress(session)
        const manifest = await importDatabase(database, { folder: source, migrate, hasKey, onTable })
        session.showValue(
          manifest,
          ({ tables }) =>
            `Imported ${countRows(tables)} rows of ${tables.length} tables; all are as they were exported. Start the service, and run payin doctor.`,
        )
      }),
  }),
}

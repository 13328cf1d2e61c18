import { parseEnv } from 'node:util'
import { command } from './commands.ts'
import { Failure } from './failure.ts'
import { argument } from './inputs.ts'
import { serviceVariables } from './service-settings.ts'
import { readText } from './surroundings.ts'

/** `payin copy-database`. Its modules take longer to load than most commands run. */
export const copyCommands = {
  'copy-database': command({
    description:
      "Copy the whole database that this folder's settings name into an empty one, to move to another engine or server, and compare all rows. The embedded database must not be in use.",
    inputs: { target: argument('<settings>', 'file like .env, whose settings name the empty database') },
    run: async (session, { target }) => {
      const { folder, errors } = session.surroundings
      const wanted = parseEnv(await readText(session.surroundings, target))
      const { copyDatabase, openForCopy } = await import('./copy-database.ts')
      const opened: Awaited<ReturnType<typeof openForCopy>>[] = []
      let copied = 0n
      try {
        const from = await openForCopy(serviceVariables(session.surroundings), folder, true)
        opened.push(from)
        const to = await openForCopy(wanted, folder)
        opened.push(to)
        await copyDatabase(from.database, to, (table, rows) => {
          if (!session.isJson && rows !== '0') errors.write(`${table}: ${rows}\n`)
          copied += BigInt(rows)
        })
      } catch (error) {
        throw new Failure([(error as Error).message])
      } finally {
        for (const { database } of opened) await database.close()
      }
      session.showValue(
        { rows: String(copied) },
        ({ rows }) =>
          `Copied ${rows} rows; all are as they were. Start the service with ${target}, and run payin doctor.`,
      )
    },
  }),
}

import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Settings } from '../settings/config.ts'
import type { Database, DatabaseOptions } from 'payin-database'
import { migrate, readMigrations } from 'payin-database/migrations'
import { openDatabase } from 'payin-database/open'
import { refuseNotDone } from '../engine/coalesce.ts'
import { migrationsFolder, version } from '../settings/version.ts'

/** The embedded engine if it is already being opened; see `beginEngine`. */
export type Engine = DatabaseOptions['engine']

/** How a process is named to others. */
export const instanceOf = ({ roles }: Settings): string => `${roles.join(',')} ${process.pid}@${hostname()}`

type Opening = { readonly keyIds?: readonly string[]; readonly maxFiles: number; readonly engine: Engine }

/** Opens the database that the settings name; throws a readable Error. */
export const openServiceDatabase = async (
  settings: Settings,
  log: Logger,
  { keyIds, maxFiles, engine }: Opening,
): Promise<Database> => {
  const known = await readMigrations(migrationsFolder)
  return openDatabase({
    url: settings.databaseUrl,
    listenUrl: settings.databaseListenUrl,
    schema: settings.databaseSchema,
    dataDir: settings.dataDir,
    poolSize: settings.databasePool,
    preparedStatements: settings.databasePrepared,
    queryTimeoutMs: settings.queryTimeoutMs,
    newestMigration: known.at(-1)?.number,
    keyIds,
    instance: instanceOf(settings),
    maxFiles,
    engine,
    refuse: refuseNotDone,
    onLog: (message) => log.warn({ database: message }, 'database'),
  })
}

/** Applies the pending migrations and returns their names; throws a readable Error. */
export const applyMigrations = async (
  database: Database,
  settings: Settings,
  log: Logger,
): Promise<readonly string[]> => {
  const known = await readMigrations(migrationsFolder)
  const onLog = (message: string): void => log.info({ migration: message }, 'migration')
  const migrated = await migrate(database, migrationsFolder, {
    mayApply: settings.migrate !== 'off',
    version,
    onLog,
    // The first start makes the database by all of them: one line says so.
    onApplied: (name, isNew) =>
      log[isNew ? 'debug' : 'info']({ migration: `migration ${name} is applied` }, 'migration'),
  })
  if (migrated.length > 0 && migrated.length === known.length)
    onLog(`${known.length} migrations are applied to the new database`)
  return migrated
}

import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Settings } from './config.ts'
import { type DatabaseOptions, openDatabase } from './database/database.ts'
import { migrate } from './database/migrate.ts'
import { migrationsFolder, readMigrations } from './database/read-migrations.ts'
import { checkKeys } from './key-rotation/admit-keys.ts'
import { migrateTenants, type TenantMigrations } from './migrate-tenants.ts'
import { openTenantServers } from './open-tenant-servers.ts'
import type { Vault } from './secrets/vault.ts'
import { version } from './version.ts'

/** The embedded engine if it is already being opened; see `beginEngine`. */
export type Engine = DatabaseOptions['engine']

/** How a process is named to others. */
export const instanceOf = ({ roles }: Settings): string => `${roles.join(',')} ${process.pid}@${hostname()}`

type Opening = { readonly keyIds?: readonly string[]; readonly maxFiles: number; readonly engine: Engine }

/** Opens the database, and knows the servers of tenants, according to the settings; throws a readable Error. */
export const openDatabases = async (settings: Settings, log: Logger, { keyIds, maxFiles, engine }: Opening) => {
  const known = await readMigrations(migrationsFolder)
  const shared = {
    dataDir: settings.dataDir,
    poolSize: settings.databasePool,
    preparedStatements: settings.databasePrepared,
    queryTimeoutMs: settings.queryTimeoutMs,
    newestMigration: known.at(-1)?.number,
    keyIds,
    instance: instanceOf(settings),
  }
  const database = await openDatabase({
    ...shared,
    url: settings.databaseUrl,
    listenUrl: settings.databaseListenUrl,
    schema: settings.databaseSchema,
    maxFiles,
    engine,
    onLog: (message) => log.warn({ database: message }, 'database'),
  })
  const servers = openTenantServers(database, settings, (server, url) =>
    openDatabase({ ...shared, url, onLog: (message) => log.warn({ server, database: message }, 'database') }),
  )
  return { database, servers }
}

/** The database, and the servers of tenants. */
export type Databases = Awaited<ReturnType<typeof openDatabases>>

/** Closes them, whatever state they are in. */
export const closeDatabases = async ({ database, servers }: Databases): Promise<void> => {
  await servers.close()
  await database.close()
}

/**
 * Applies the pending migrations to `main` and the tenants; throws a readable Error, with `all` also because of a single
 * tenant. A vault is compared with the keys that each tenant needs.
 */
export const applyMigrations = async (
  { database, servers }: Databases,
  settings: Settings,
  log: Logger,
  { vault, tenants: which }: { readonly vault: Vault | undefined; readonly tenants: 'all' | 'reachable' },
) => {
  const known = await readMigrations(migrationsFolder)
  const options = {
    mayApply: settings.migrate !== 'off',
    version,
    onLog: (message: string) => log.info({ migration: message }, 'migration'),
    // The first start makes the database by all of them: one line says so.
    onApplied: (name: string, isNew: boolean) =>
      log[isNew ? 'debug' : 'info']({ migration: `migration ${name} is applied` }, 'migration'),
  }
  const migrated = await migrate(database, migrationsFolder, options)
  if (migrated.length > 0 && migrated.length === known.length)
    options.onLog(`${known.length} migrations are applied to the new database`)
  const ofTenants: TenantMigrations = {
    apply: async (tenant) => {
      if (vault) await checkKeys(tenant, vault)
      return migrate(tenant, migrationsFolder, options)
    },
    newest: known.at(-1)?.number ?? '',
    mayApply: options.mayApply,
    onLog: options.onLog,
  }
  const tenants = await migrateTenants(database, servers, ofTenants, which === 'all')
  return { migrated: [...migrated, ...tenants.map((name) => `tenant ${name}`)], migrations: ofTenants }
}

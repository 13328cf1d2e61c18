import { parseSettings, type Settings } from './config.ts'
import { openDatabase } from './database/database.ts'
import { migrate } from './database/migrate.ts'
import { migrationsFolder, readMigrations } from './database/read-migrations.ts'
import { mainServer } from './domain/tenant.ts'
import { openTenantServers } from './open-tenant-servers.ts'
import { type Moved, moveTenant } from './relocation/move-tenant.ts'
import { backupTenant, restoreTenant } from './relocation/restore-tenant.ts'
import type { Tools } from './relocation/tools.ts'
import { dropKeptSchema, recoverTenant } from './relocation/recover.ts'
import { version } from './version.ts'

/**
 * What `payin` does to whole schemas of tenants, with the settings of the service and while it runs. All throw readable
 * errors.
 */
export type TenantTools = {
  move(name: string, to: string, mayStop: boolean): Promise<Moved>
  /** Undoes what an interrupted move or restore has left; false if there was nothing. */
  recover(name: string): Promise<boolean>
  /** Removes the former schema, and returns its name. */
  dropCopy(name: string): Promise<string>
  backup(name: string, file: string): Promise<void>
  /** Returns the schema in which the former state is kept, if there was one. */
  restore(name: string, file: string, server: string): Promise<string | undefined>
  close(): Promise<void>
}

const readSettings = (environment: Readonly<Record<string, string | undefined>>): Settings => {
  const parsed = parseSettings(environment)
  if (!parsed.ok) throw new Error(['Please fix these settings:', ...parsed.errors].join('\n  '))
  if (parsed.settings.databaseUrl !== undefined) return parsed.settings
  throw new Error('This needs DATABASE_URL: run it with the settings of the service, where the service runs.')
}

/** Opens the servers that the settings name. */
export const openTenantTools = async (
  environment: Readonly<Record<string, string | undefined>>,
  clock: () => number,
  onProgress: (text: string) => void,
): Promise<TenantTools> => {
  const settings = readSettings(environment)
  const known = await readMigrations(migrationsFolder)
  const open = (url: string, schema?: string) =>
    openDatabase({
      url,
      listenUrl: url === settings.databaseUrl ? settings.databaseListenUrl : undefined,
      schema,
      dataDir: '',
      poolSize: 2,
      preparedStatements: settings.databasePrepared,
      queryTimeoutMs: settings.queryTimeoutMs,
      onLog: onProgress,
    })
  const main = await open(settings.databaseUrl ?? '', settings.databaseSchema)
  const servers = openTenantServers(main, settings, (_name, url) => open(url))
  const urlOf = (server: string): string => {
    const other = settings.tenantServers?.find((each) => each.name === server)?.url
    return (server === mainServer ? (settings.databaseListenUrl ?? settings.databaseUrl) : other) ?? ''
  }
  const options = { version, onLog: () => undefined }
  const tools: Tools = {
    main,
    servers,
    migrations: {
      apply: (database) => migrate(database, migrationsFolder, options),
      newest: known.at(-1)?.number ?? '',
      mayApply: true,
      onLog: onProgress,
    },
    urlOf,
    environment,
    clock,
    onProgress,
  }
  return {
    move: (name, to, mayStop) => moveTenant(tools, name, to, mayStop),
    recover: (name) => recoverTenant(tools, name),
    dropCopy: (name) => dropKeptSchema(tools, name),
    backup: (name, file) => backupTenant(tools, name, file),
    restore: (name, file, server) => restoreTenant(tools, name, file, server),
    close: async () => {
      await servers.close()
      await main.close()
    },
  }
}

import { join, resolve } from 'node:path'
import { parseSettings } from '../config.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { createVault } from '../secrets/vault.ts'
import { makeDirectory } from '../tenants/make-directory.ts'
import { version } from '../version.ts'

const migrations = join(import.meta.dirname, '..', '..', 'migrations')

/** The database that a service started in a folder would open, and what an import needs to know. */
export const openForCopy = async ({
  variables,
  folder,
}: {
  /** Of the settings; relative paths begin at the folder. */
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly folder: string
}) => {
  const parsed = parseSettings(variables)
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'))
  const { settings } = parsed
  const database = await openDatabase({
    url: settings.databaseUrl,
    listenUrl: settings.databaseListenUrl,
    schema: settings.databaseSchema,
    dataDir: resolve(folder, settings.dataDir),
    poolSize: settings.databasePool,
    preparedStatements: settings.databasePrepared,
    queryTimeoutMs: settings.queryTimeoutMs,
  })
  const vault = settings.encryptionKeys && createVault(settings.encryptionKeys)
  return {
    database,
    version,
    makeDirectory,
    migrate: (each: Database) => migrate(each, migrations, { mayApply: true, version, onLog: () => undefined }),
    hasKey: vault && ((check: string) => vault.verifyKeyCheck(check)),
  }
}

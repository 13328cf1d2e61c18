import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseSettings } from '../../settings/config.ts'
import type { Database } from 'payin-database'
import { migrate } from 'payin-database/migrations'
import { openDatabase } from 'payin-database/open'
import { migrationsFolder, version } from '../../settings/version.ts'
import { createVault } from '../../secrets/vault.ts'

/** The database that a service started in a folder would open, and what an import needs to know. */
export const openForCopy = async ({
  variables,
  folder,
  mustExist = false,
}: {
  /** For the settings; relative paths start at the folder. */
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly folder: string
  /** Refuses to create an embedded database. */
  readonly mustExist?: boolean
}) => {
  const parsed = parseSettings(variables)
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'))
  const { settings } = parsed
  const dataDir = resolve(folder, settings.dataDir)
  if (mustExist && settings.databaseUrl === undefined && !existsSync(dataDir))
    throw new Error(
      `There is no database in ${dataDir}, and DATABASE_URL is not set. Run this in the folder of the service, or name its settings with PAYIN_CONFIG.`,
    )
  const database = await openDatabase({
    url: settings.databaseUrl,
    listenUrl: settings.databaseListenUrl,
    schema: settings.databaseSchema,
    dataDir,
    poolSize: settings.databasePool,
    preparedStatements: settings.databasePrepared,
    queryTimeoutMs: settings.queryTimeoutMs,
  })
  const vault = settings.encryptionKeys && createVault(settings.encryptionKeys)
  return {
    database,
    version,
    migrate: (each: Database) => migrate(each, migrationsFolder, { mayApply: true, version, onLog: () => undefined }),
    hasKey: vault && ((check: string) => vault.verifyKeyCheck(check)),
  }
}

import type { Logger } from 'pino'
import type { Settings } from '../settings/config.ts'
import { type EmbeddedEngine, hasCluster, openEmbedded } from 'payin-database/open'
import { readFileLimit, shareFiles } from './open-files.ts'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrationsFolder } from '../settings/version.ts'

/**
 * Begins to open the embedded database, if no other one is configured. It has its own thread, which takes a second or
 * two on the first start: as long as the caller needs to load the modules of the service. Awaiting the result throws if
 * it cannot be opened.
 */
export const beginEngine = (settings: Settings, log: Logger): Promise<EmbeddedEngine> | undefined => {
  const { databaseUrl, databaseSchema, dataDir, queryTimeoutMs, migrate } = settings
  if (databaseUrl !== undefined) return undefined
  const open = async (): Promise<EmbeddedEngine> => {
    const { engineFiles: maxFiles } = shareFiles(readFileLimit(), settings)
    const onLog = (message: string): void => log.warn({ database: message }, 'database')
    // It has the tables in the usual schema. Who migrates in a step of their own begins with an empty database.
    const mayCopy = migrate === 'on' && databaseSchema === undefined && !hasCluster(dataDir)
    const newCluster = mayCopy ? findKeptCluster() : undefined
    const opened = await openEmbedded({ dataDir, queryTimeoutMs, maxFiles, onLog, newCluster })
    if (opened.isCopy) log.info({ migration: 'all migrations are applied to the new database' }, 'migration')
    return opened
  }
  const engine = open()
  engine.catch(() => undefined)
  return engine
}

const root = join(import.meta.dirname, '..', '..')

/** Changes with every migration, and with the versions of Payin and its packages. */
export const schemaFingerprint = (): string => {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package.json')))
  for (const name of readdirSync(migrationsFolder).toSorted())
    hash.update(name).update(readFileSync(join(migrationsFolder, name)))
  return hash.digest('hex').slice(0, 16)
}

/** Where the installation keeps a migrated cluster for new embedded databases, with the packages. */
export const keptClusterPath = (): string => join(root, 'node_modules', '.cache', `cluster-${schemaFingerprint()}.tar`)

/** The kept cluster, if it has the current schema. */
const findKeptCluster = (): string | undefined => {
  const path = keptClusterPath()
  return existsSync(path) ? path : undefined
}

import type { Logger } from 'pino'
import type { Settings } from './config.ts'
import { type EmbeddedEngine, openEmbedded } from './database/embedded.ts'
import { hasCluster } from './database/embedded-cluster.ts'
import { findKeptCluster } from './database/kept-cluster.ts'
import { readFileLimit, shareFiles } from './open-files.ts'

/**
 * Begins to open the embedded database, if no other one is configured. It has its own thread, which takes a second or
 * two on the first start: as long as the caller needs to load the modules of the service. Awaiting the result throws if
 * it cannot be opened.
 */
export const beginEngine = (settings: Settings, log: Logger): Promise<EmbeddedEngine> | undefined => {
  const { databaseUrl, dataDir, queryTimeoutMs, migrate } = settings
  if (databaseUrl !== undefined) return undefined
  const open = async (): Promise<EmbeddedEngine> => {
    const { engineFiles: maxFiles } = shareFiles(readFileLimit(), settings)
    const onLog = (message: string): void => log.warn({ database: message }, 'database')
    // A start that may only migrate, or may not, finds an empty database.
    const newCluster = migrate === 'on' && !hasCluster(dataDir) ? findKeptCluster() : undefined
    if (newCluster !== undefined)
      log.info(
        { migration: 'all migrations are applied: the database is a copy that the installation keeps' },
        'migration',
      )
    return openEmbedded({ dataDir, queryTimeoutMs, maxFiles, onLog, newCluster })
  }
  const engine = open()
  engine.catch(() => undefined)
  return engine
}

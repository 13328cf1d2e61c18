import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { dataDir as readEmptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import { parseTarGzip } from 'nanotar'

const POSTGRES_VERSION = '18'

const syncPath = (path: string): void => {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const syncTree = (path: string): void => {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) syncTree(join(path, entry.name))
    else if (entry.isFile()) syncPath(join(path, entry.name))
  }
  syncPath(path)
}

/** The files that initdb makes, which takes it five seconds, as a package brings them. */
const writeEmptyCluster = async (directory: string): Promise<void> => {
  const archive = await readEmptyCluster()
  for (const { name, type, data } of await parseTarGzip(await archive.arrayBuffer())) {
    const path = join(directory, name)
    if (type === 'directory') mkdirSync(path, { recursive: true, mode: 0o700 })
    else writeFileSync(path, data ?? '', { mode: 0o600 })
  }
}

/**
 * Gives the folder of the cluster under `dataDir`, and whether it was made now because there was none. The name `cluster` appears by one
 * rename, after everything in it is on disk: a kill before leaves only `cluster.new`.
 */
export const prepareCluster = async (dataDir: string): Promise<{ directory: string; isNew: boolean }> => {
  const directory = join(dataDir, 'cluster')
  const isNew = !existsSync(directory)
  if (isNew) {
    const unfinished = join(dataDir, 'cluster.new')
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { mode: 0o700 })
    await writeEmptyCluster(unfinished)
    syncTree(unfinished)
    renameSync(unfinished, directory)
    syncPath(dataDir)
    syncPath(dirname(dataDir))
  }
  const versionFile = join(directory, 'PG_VERSION')
  if (!existsSync(versionFile)) throw new Error(`${directory} is not a database: it has no PG_VERSION file.`)
  const version = readFileSync(versionFile, 'utf8').trim()
  if (version === POSTGRES_VERSION) return { directory, isNew }
  throw new Error(`${directory} was made by PostgreSQL ${version}; this release reads PostgreSQL ${POSTGRES_VERSION}.`)
}

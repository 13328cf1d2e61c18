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
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parseTar } from 'nanotar'

const POSTGRES_VERSION = '18'

const syncPath = (path: string): void => {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Number of files synced to disk concurrently: one at a time, the thousand files of a cluster take three times as long.
 */
const syncedAtOnce = 8

const syncTree = async (path: string): Promise<void> => {
  const within = readdirSync(path, { recursive: true }) as string[]
  const left = [path, ...within.map((name) => join(path, name))]
  const syncNext = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      await using file = await open(next, 'r')
      await file.sync()
    }
  }
  await Promise.all(Array.from({ length: syncedAtOnce }, syncNext))
}

/** The files that initdb would create, from a package; initdb takes five seconds. */
const readEmptyCluster = async (): Promise<Buffer> => {
  const { dataDir } = await import('@electric-sql/pglite-prepopulatedfs')
  return gunzipSync(await (await dataDir()).arrayBuffer())
}

const writeCluster = (directory: string, archive: Buffer): void => {
  for (const { name, type, data } of parseTar(archive)) {
    const path = join(directory, name)
    if (type === 'directory') mkdirSync(path, { recursive: true, mode: 0o700 })
    else writeFileSync(path, data ?? '', { mode: 0o600 })
  }
}

/** Writes the files of a kept archive, of which PG_VERSION is the last; returns why that is not possible. */
const copyKept = (directory: string, archive: string): string | undefined => {
  try {
    writeCluster(directory, readFileSync(archive))
    return existsSync(join(directory, 'PG_VERSION')) ? undefined : 'it is not whole'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const makeFolder = (path: string): void => {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { mode: 0o700 })
}

/** Writes a new cluster, and returns whether it is a copy of the archive. */
const writeNew = async (
  directory: string,
  archive: string | undefined,
  onLog: (text: string) => void,
): Promise<boolean> => {
  makeFolder(directory)
  if (archive !== undefined) {
    const fault = copyKept(directory, archive)
    if (fault === undefined) return true
    onLog(`${archive} is not used for the new database: ${fault}`)
    makeFolder(directory)
  }
  writeCluster(directory, await readEmptyCluster())
  return false
}

const clusterIn = (dataDir: string): string => join(dataDir, 'cluster')

/** Whether there is a database in `dataDir`. */
export const hasCluster = (dataDir: string): boolean => existsSync(clusterIn(dataDir))

/** The folder of a cluster; whether it was created now; and whether as a copy of the archive. */
type Prepared = { readonly directory: string; readonly isNew: boolean; readonly isCopy: boolean }

/**
 * Finds the cluster under `dataDir`. If there is none, creates it: from `archive`, a tar of all its files, or empty. The
 * name `cluster` appears by one rename, after everything in it is on disk: a kill before that leaves only `cluster.new`.
 */
export const prepareCluster = async (
  dataDir: string,
  archive: string | undefined,
  onLog: (text: string) => void,
): Promise<Prepared> => {
  const directory = clusterIn(dataDir)
  const isNew = !hasCluster(dataDir)
  let isCopy = false
  if (isNew) {
    const unfinished = join(dataDir, 'cluster.new')
    isCopy = await writeNew(unfinished, archive, onLog)
    await syncTree(unfinished)
    renameSync(unfinished, directory)
    syncPath(dataDir)
    syncPath(dirname(dataDir))
  }
  const versionFile = join(directory, 'PG_VERSION')
  if (!existsSync(versionFile)) throw new Error(`${directory} is not a database: it has no PG_VERSION file.`)
  const version = readFileSync(versionFile, 'utf8').trim()
  if (version === POSTGRES_VERSION) return { directory, isNew, isCopy }
  throw new Error(`${directory} was made by PostgreSQL ${version}; this release reads PostgreSQL ${POSTGRES_VERSION}.`)
}

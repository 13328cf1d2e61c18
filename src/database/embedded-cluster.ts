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

const clusterIn = (dataDir: string): string => join(dataDir, 'cluster')

/** Whether there is a database in `dataDir`. */
export const hasCluster = (dataDir: string): boolean => existsSync(clusterIn(dataDir))

/**
 * Returns the folder of the cluster under `dataDir`, and whether it was created now because there was none: from
 * `archive` (a tar), or empty. The name `cluster` appears by one rename, after everything in it is on disk: a kill
 * before that leaves only `cluster.new`.
 */
export const prepareCluster = async (
  dataDir: string,
  archive: string | undefined,
): Promise<{ directory: string; isNew: boolean }> => {
  const directory = clusterIn(dataDir)
  const isNew = !hasCluster(dataDir)
  if (isNew) {
    const unfinished = join(dataDir, 'cluster.new')
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { mode: 0o700 })
    writeCluster(unfinished, archive === undefined ? await readEmptyCluster() : readFileSync(archive))
    await syncTree(unfinished)
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

// Makes what a first start would make: keeps a migrated cluster and the compiled code of the service with the packages,
// and builds the documentation. scripts/install.cjs runs this, with NODE_COMPILE_CACHE set. An argument names another
// file for the cluster.
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { createTar } from 'nanotar'
import { migrate } from 'payin-database/migrations'
import { openDatabase } from 'payin-database/open'
import { migrationsFolder, version } from '../src/settings/version.ts'
import { keptClusterPath } from '../src/process/begin-engine.ts'

/** Files of the databases that nobody opens, `template1` and `template0`: half of the files of an empty cluster. */
const unused = /^base\/[14]\/\w+$/

const archive = (cluster: string): Uint8Array => {
  const entries = readdirSync(cluster, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = relative(cluster, path).replaceAll(sep, '/')
    if (unused.test(name)) return []
    return [entry.isDirectory() ? { name } : { name, data: readFileSync(path) }]
  })
  // Last, so that a copy that has it is whole.
  return createTar(entries.toSorted((a, b) => Number(a.name === 'PG_VERSION') - Number(b.name === 'PG_VERSION')))
}

const makeCluster = async (): Promise<Uint8Array> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-cluster-'))
  try {
    const database = await openDatabase({ dataDir, poolSize: 1, preparedStatements: true, queryTimeoutMs: 60_000 })
    await migrate(database, migrationsFolder, { version })
    await database.close()
    return archive(join(dataDir, 'cluster'))
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const keepCluster = async (path: string): Promise<void> => {
  if (existsSync(path)) return
  const content = await makeCluster()
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true })
  const unfinished = `${path}-${process.pid}`
  writeFileSync(unfinished, content, { flush: true })
  renameSync(unfinished, path)
  // Those of other schemas.
  for (const name of readdirSync(folder))
    if (/^cluster-\w+\.tar/.test(name) && !name.startsWith(basename(path))) rmSync(join(folder, name), { force: true })
}

// Loading the service compiles its code, while the database works in its own thread.
await Promise.all([
  keepCluster(process.argv[2] ?? keptClusterPath()),
  promisify(execFile)(process.execPath, [join(import.meta.dirname, '..', 'site', 'build-site.ts')]),
  import('../src/process/start-service.ts'),
])

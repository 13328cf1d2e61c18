// Keeps with the packages what a first start would make: a migrated cluster, and the compiled code of the service. With
// them it takes half as long. scripts/install.cjs runs this, with NODE_COMPILE_CACHE set.
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
import { createTar } from 'nanotar'
import { openDatabase } from '../src/database/database.ts'
import { keptClusterPath } from '../src/database/kept-cluster.ts'
import { migrate } from '../src/database/migrate.ts'
import { migrationsFolder } from '../src/database/read-migrations.ts'
import { version } from '../src/version.ts'

/** Files of the databases that nobody opens, `template1` and `template0`: half of the files of an empty cluster. */
const unused = /^base\/[14]\/\w+$/

const archive = (cluster: string): Uint8Array =>
  createTar(
    readdirSync(cluster, { recursive: true, withFileTypes: true }).flatMap((entry) => {
      const path = join(entry.parentPath, entry.name)
      const name = relative(cluster, path).replaceAll(sep, '/')
      if (unused.test(name)) return []
      return [entry.isDirectory() ? { name } : { name, data: readFileSync(path) }]
    }),
  )

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

const keepCluster = async (): Promise<void> => {
  const path = keptClusterPath()
  if (existsSync(path)) return
  const content = await makeCluster()
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true })
  const unfinished = `${path}-${process.pid}`
  writeFileSync(unfinished, content)
  renameSync(unfinished, path)
  // Those of other schemas.
  for (const name of readdirSync(folder))
    if (/^cluster-\w+\.tar/.test(name) && !name.startsWith(basename(path))) rmSync(join(folder, name), { force: true })
}

// Loading the service compiles its code, while the database works in its own thread.
await Promise.all([keepCluster(), import('../src/start-service.ts')])

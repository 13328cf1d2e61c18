import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'

// TypeScript knows it as a part of browsers only.
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> }

const root = join(import.meta.dirname, '..', '..')
const migrations = join(root, 'migrations')

/** Changes with every migration and version of the embedded engine: an old template is never used for a new schema. */
const fingerprint = (): string => {
  const hash = createHash('sha256')
  for (const name of readdirSync(migrations).toSorted()) hash.update(name).update(readFileSync(join(migrations, name)))
  return hash
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16)
}

const options = { poolSize: 4, preparedStatements: true, queryTimeoutMs: 60_000 }

/**
 * The compiled engine is shared by all threads of a process as long as anyone holds it: so it is compiled, and optimised,
 * once for all the databases that its tests open.
 */
const holdEngine = async (): Promise<object> => {
  const engine = join(dirname(fileURLToPath(import.meta.resolve('@electric-sql/pglite'))), 'pglite.wasm')
  return WebAssembly.compile(await readFile(engine))
}

let held: Promise<object> | undefined

/** Copies an embedded database that was prepared once and is kept with the packages; returns the copy's folder. */
const cloneTemplate = async (name: string, prepare: (database: Database) => Promise<unknown>): Promise<string> => {
  await (held ??= holdEngine())
  const cache = join(root, 'node_modules/.cache')
  const template = join(cache, `${name}-${fingerprint()}`)
  if (!existsSync(template)) {
    mkdirSync(cache, { recursive: true })
    const building = mkdtempSync(join(cache, 'embedded-building-'))
    const database = await openDatabase({ ...options, dataDir: building })
    await prepare(database)
    await database.close()
    try {
      renameSync(building, template)
    } catch {
      // Another test process was faster; its template is as good.
      rmSync(building, { recursive: true, force: true })
    }
  }
  const copy = mkdtempSync(join(tmpdir(), 'payin-test-'))
  cpSync(template, copy, { recursive: true })
  return copy
}

/** A migrated, empty embedded database in a folder of its own, which is the caller's to remove. */
export const cloneEmbedded = (): Promise<string> =>
  cloneTemplate('embedded-template', (database) => migrate(database, migrations))

/** An embedded database without any table in a folder of its own, which is the caller's to remove. */
export const createEmptyEmbedded = (): Promise<string> => cloneTemplate('embedded-empty', async () => undefined)

const withDatabase = (url: string, name: string): string =>
  url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`)

const run = async (url: string, sql: string): Promise<pg.QueryResult> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

let made = 0

/** A database without any table on the PostgreSQL of the tests, and how to drop it. */
export const createEmptyPostgres = async (server: string): Promise<{ url: string; drop: () => Promise<void> }> => {
  const name = `payin_empty_${process.pid}_${++made}`
  await run(server, `create database ${name}`)
  return {
    url: withDatabase(server, name),
    drop: async () => void (await run(server, `drop database ${name} with (force)`)),
  }
}

/** A migrated, empty database on the PostgreSQL of the tests, in the tablespace if one is named, and how to drop it. */
export const clonePostgres = async (
  server: string,
  tablespace = 'pg_default',
): Promise<{ url: string; drop: () => Promise<void> }> => {
  const template = `payin_template_${fingerprint()}`
  const found = await run(server, `select from pg_database where datname = '${template}'`)
  if (found.rowCount === 0) {
    const building = `payin_building_${process.pid}`
    await run(server, `create database ${building}`)
    const database = await openDatabase({ ...options, url: withDatabase(server, building), dataDir: '' })
    await migrate(database, migrations)
    await database.close()
    await run(server, `alter database ${building} rename to ${template}`).catch(async () => {
      await run(server, `drop database ${building}`)
    })
  }
  const name = `payin_test_${process.pid}_${++made}`
  await run(server, `create database ${name} template ${template} strategy file_copy tablespace ${tablespace}`)
  return {
    url: withDatabase(server, name),
    drop: async () => void (await run(server, `drop database ${name} with (force)`)),
  }
}

import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Database } from 'payin-database'
import { migrate } from 'payin-database/migrations'
import { openDatabase } from 'payin-database/open'
import { schemaFingerprint } from '../../src/process/begin-engine.ts'
import { type CitusNode, joinNodes, listCitusNodes } from './citus.ts'

const root = join(import.meta.dirname, '..', '..')
const migrations = join(root, 'migrations')

const options = { poolSize: 4, preparedStatements: true, queryTimeoutMs: 60_000 }

/** Files of the databases that nobody opens, `template1` and `template0`: half of all files. */
const unused = /\/cluster\/base\/[14]\/\w+$/

/** Copies an embedded database that was prepared once and is kept with the packages; returns the folder of the copy. */
const cloneTemplate = async (name: string, prepare: (database: Database) => Promise<unknown>): Promise<string> => {
  const cache = join(root, 'node_modules/.cache')
  const template = join(cache, `${name}-${schemaFingerprint()}`)
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
  cpSync(template, copy, { recursive: true, filter: (source) => !unused.test(source) })
  return copy
}

/** A migrated, empty embedded database in a new folder, which the caller removes. */
export const cloneEmbedded = (): Promise<string> =>
  cloneTemplate('embedded-template', (database) => migrate(database, migrations))

/** An embedded database without tables in a new folder, which the caller removes. */
export const createEmptyEmbedded = (): Promise<string> => cloneTemplate('embedded-empty', async () => undefined)

const withDatabase = (url: string, name: string): string =>
  url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`)

/** A server for tests: a PostgreSQL, or all nodes of a Citus, with databases whose schemas are distributed. */
type Server = {
  readonly nodes: readonly CitusNode[]
  /** Runs a command on the server, or on all nodes. */
  readonly everywhere: (sql: string, database?: string) => Promise<void>
  /** The address of a database. */
  readonly urlOf: (name: string) => string
}

const run = async (url: string, sql: string): Promise<pg.QueryResult> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

const servers = new Map<string, Promise<Server>>()

const openServer = async (url: string): Promise<Server> => {
  const nodes = await listCitusNodes(url)
  const inSchema = nodes.length === 0 ? '' : `${url.includes('?') ? '&' : '?'}options=-csearch_path%3Dpayin`
  return {
    nodes,
    everywhere: async (sql, database) => {
      for (const node of nodes.length === 0 ? [url] : nodes.map((each) => each.url))
        await run(database === undefined ? node : withDatabase(node, database), sql)
    },
    urlOf: (name) => withDatabase(url, name) + inSchema,
  }
}

const serverAt = (url: string): Promise<Server> => {
  const known = servers.get(url) ?? openServer(url)
  servers.set(url, known)
  return known
}

/** A database that is created from a template does not have the settings of the template. */
const distribute = ({ nodes, everywhere }: Server, name: string): Promise<void> | undefined =>
  nodes.length === 0 ? undefined : everywhere(`alter database ${name} set citus.enable_schema_based_sharding = on`)

let made = 0

const droppable = (server: Server, name: string): { url: string; drop: () => Promise<void> } => ({
  url: server.urlOf(name),
  drop: async () => {
    // A cut connection may have left a prepared transaction, which Citus would end within a minute.
    if (server.nodes.length > 0) await run(server.urlOf(name), 'select recover_prepared_transactions()')
    await server.everywhere(`drop database ${name} with (force)`)
  },
})

/** Ends the connections that Citus itself keeps to a database, which could not be copied otherwise. */
const disconnect = ({ nodes, everywhere }: Server, name: string): Promise<void> | undefined =>
  nodes.length === 0
    ? undefined
    : everywhere(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`)

/** Creates a database without tables. */
const createEmpty = async (server: Server, name: string): Promise<void> => {
  await server.everywhere(`create database ${name}`)
  if (server.nodes.length === 0) return
  await joinNodes(server.nodes, (url) => withDatabase(url, name))
  await distribute(server, name)
  await run(server.urlOf(name), 'create schema payin')
}

/** A database without tables on the PostgreSQL of the tests, and how to drop it. */
export const createEmptyPostgres = async (url: string): Promise<{ url: string; drop: () => Promise<void> }> => {
  const server = await serverAt(url)
  const name = `payin_empty_${process.pid}_${++made}`
  await createEmpty(server, name)
  return droppable(server, name)
}

/** A migrated, empty database on the PostgreSQL of the tests, in the tablespace if one is given, and how to drop it. */
export const clonePostgres = async (
  url: string,
  tablespace = 'pg_default',
): Promise<{ url: string; drop: () => Promise<void> }> => {
  const server = await serverAt(url)
  const template = `payin_template_${schemaFingerprint()}`
  const found = await run(url, `select from pg_database where datname = '${template}'`)
  if (found.rowCount === 0) {
    const building = `payin_building_${process.pid}`
    await createEmpty(server, building)
    const database = await openDatabase({ ...options, url: server.urlOf(building), dataDir: '' })
    await migrate(database, migrations)
    await database.close()
    await disconnect(server, building)
    await server.everywhere(`alter database ${building} rename to ${template}`).catch(async () => {
      await server.everywhere(`drop database ${building}`)
    })
  }
  const name = `payin_test_${process.pid}_${++made}`
  await disconnect(server, template)
  await server.everywhere(`create database ${name} template ${template} strategy file_copy tablespace ${tablespace}`)
  await distribute(server, name)
  return droppable(server, name)
}

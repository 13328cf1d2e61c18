import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Database, query, type Session, text } from 'payin-database'
import { type CopiedTable, listCopiedTables, type Manifest, sumOf } from './copied-tables.ts'

const findHome = query('find_home_schema', {
  row: { schema: text, newestMigration: text },
  text: `select current_schema()::text as schema, left((select max(name) from schema_migrations), 4) as newest_migration`,
})

const listChecks = query('list_key_checks_to_export', {
  row: { value: text },
  text: `select value from service_state where name = 'key_check' or name like 'key:%' order by name`,
})

const rowsOf = async function* (session: Session, { name, hasFiles }: CopiedTable): AsyncGenerator<string> {
  const fetch = query(`fetch_${name.replaceAll(/\W/g, '_')}`, {
    row: { row: text },
    text: `fetch ${hasFiles ? 2 : 1000} from exported`,
  })
  await session.run(`declare exported no scroll cursor for select each::text as row from ${name} as each order by ctid`)
  for (;;) {
    const rows = await session.query(fetch, {})
    for (const { row } of rows) yield `${JSON.stringify(row)}\n`
    if (rows.length === 0) break
  }
  await session.run('close exported')
}

const writeTable = async (session: Session, table: CopiedTable, folder: string): Promise<string> => {
  const sha256 = createHash('sha256')
  const path = join(folder, table.file)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const hashed = async function* (): AsyncGenerator<string> {
    for await (const line of rowsOf(session, table)) {
      sha256.update(line)
      yield line
    }
  }
  await pipeline(
    Readable.from(hashed()),
    createGzip({ level: 4 }),
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  )
  return sha256.digest('hex')
}

/**
 * Writes all tables into a new folder, as of one moment, table by table with little memory. The manifest is written last: a folder without one is incomplete.
 */
export const exportDatabase = async (
  database: Database,
  options: {
    readonly folder: string
    readonly version: string
    readonly now: number
    readonly onTable: (file: string, rows: string) => void
  },
): Promise<Manifest> => {
  const { folder, version, now, onTable } = options
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`The folder ${folder} is not empty.`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const session = await database.openSession()
  try {
    await session.run('begin isolation level repeatable read read only')
    const [home] = await session.query(findHome, {})
    if (!home) throw new Error('The database has no schema.')
    const tables = []
    for (const table of await listCopiedTables(session, home.schema)) {
      const sums = await sumOf(session, table.name)
      tables.push({ file: table.file, ...sums, sha256: await writeTable(session, table, folder) })
      onTable(table.file, sums.rows)
    }
    const manifest: Manifest = {
      format: 'payin-export-1',
      version,
      newestMigration: home.newestMigration,
      exportedAt: new Date(now).toISOString(),
      keyChecks: [...new Set((await session.query(listChecks, {})).map(({ value }) => value))],
      tables,
    }
    writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`, {
      flag: 'wx',
      mode: 0o600,
    })
    await session.run('commit')
    return manifest
  } finally {
    await session.close()
  }
}

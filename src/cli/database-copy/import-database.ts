import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { array, boolean, type Database, query, type Session, text } from 'payin-database'
import { type CopiedTable, listCopiedTables, type Manifest, sumOf } from './copied-tables.ts'

const findUse = query('find_use_of_database', {
  row: { schema: text, isUsed: boolean, newestMigration: text },
  text: `select current_schema()::text as schema, exists (select from service_state) or exists (select from merchants) as is_used,
      left((select max(name) from schema_migrations), 4) as newest_migration`,
})

const rowsAtOnce = 1000
const bytesAtOnce = 4 * 1024 * 1024

/** The manifest of an exported folder; throws a readable Error if it is not one. */
const readManifest = (folder: string): Manifest => {
  let content: string
  try {
    content = readFileSync(join(folder, 'manifest.json'), 'utf8')
  } catch {
    throw new Error(`${folder} has no manifest.json: it is not an export of Payin, or the export was interrupted.`)
  }
  try {
    const manifest = JSON.parse(content) as Manifest
    if (manifest.format === 'payin-export-1') return manifest
  } catch {
    // Reported below.
  }
  throw new Error(`${folder}/manifest.json is not the manifest of an export that this version knows.`)
}

const readTable = async (session: Session, table: CopiedTable, folder: string): Promise<string> => {
  const insert = query(`insert_${table.name.replaceAll(/\W/g, '_')}`, {
    parameters: { rows: array(text) },
    text: `insert into ${table.name} select (typed.row).* from (
        select input.row::${table.name} as row from unnest(:rows) with ordinality as input (row, ordinal) order by ordinal offset 0
      ) as typed`,
  })
  const sha256 = createHash('sha256')
  const source = createReadStream(join(folder, table.file))
  const unpacked = createGunzip()
  // A read error of the file must end the lines, which would otherwise wait forever.
  source.on('error', (error) => unpacked.destroy(error))
  const lines = createInterface({ input: source.pipe(unpacked), crlfDelay: Infinity })
  let rows: string[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    if (rows.length > 0) await session.query(insert, { rows })
    rows = []
    bytes = 0
  }
  try {
    for await (const line of lines) {
      sha256.update(`${line}\n`)
      rows.push(JSON.parse(line) as string)
      bytes += line.length
      if (rows.length >= rowsAtOnce || bytes >= bytesAtOnce) await flush()
    }
    await flush()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${table.file} is truncated or damaged: ${reason}.`, { cause: error })
  }
  return sha256.digest('hex')
}

const importTables = async (
  session: Session,
  { folder, onTable }: ImportOptions,
  manifest: Manifest,
  schema: string,
): Promise<void> => {
  const wanted = new Map(manifest.tables.map((table) => [table.file, table]))
  const tables = await listCopiedTables(session, schema)
  const known = new Set(tables.map(({ file }) => file))
  const lacking = [...wanted.keys()].find((file) => !known.has(file)) ?? [...known].find((file) => !wanted.has(file))
  if (lacking !== undefined) throw new Error(`${lacking} is missing from the export or from this version.`)
  // The rows that migrations have inserted are in the export, too.
  for (const table of tables.toReversed()) await session.run(`delete from ${table.name}`)
  for (const table of tables) {
    const { rows, sum, sha256 } = wanted.get(table.file) ?? { rows: '', sum: '', sha256: '' }
    const found = await readTable(session, table, folder)
    if (found !== sha256) throw new Error(`${table.file} is not as it was exported: its checksum differs.`)
    const sums = await sumOf(session, table.name)
    if (sums.rows !== rows || sums.sum !== sum)
      throw new Error(
        `${table.file} was not imported as it was exported: ${sums.rows} rows of ${rows}, or another sum.`,
      )
    onTable(table.file, rows)
  }
}

/** What an import needs besides its database. */
export type ImportOptions = {
  readonly folder: string
  /** Brings the schema of a database up to date. */
  readonly migrate: (database: Database) => Promise<unknown>
  /** Whether the settings have the key that produced one of these values; undefined if they have no keys. */
  readonly hasKey: ((check: string) => boolean) | undefined
  readonly onTable: (file: string, rows: string) => void
}

/**
 * Reads an exported folder into an empty database, in one transaction: either completely, with the same rows and sums,
 * or not at all. Throws a readable Error if the database is in use, or the folder is damaged, of another version, or
 * sealed with other keys.
 */
export const importDatabase = async (database: Database, options: ImportOptions): Promise<Manifest> => {
  const { folder, migrate, hasKey } = options
  const manifest = readManifest(folder)
  const missing = hasKey && manifest.keyChecks.find((check) => !hasKey(check))
  if (missing !== undefined)
    throw new Error(
      `The export is sealed with the key ${missing.split('.')[1]}, which PAYIN_ENCRYPTION_KEYS does not have, or has another of that name.`,
    )
  await migrate(database)
  const [use] = await database.query(findUse, {})
  if (!use || use.isUsed)
    throw new Error('The database is not empty: import into one that no service has been started on.')
  if (use.newestMigration !== manifest.newestMigration)
    throw new Error(
      `The export is of version ${manifest.version}, with migrations up to ${manifest.newestMigration}; this version has ${use.newestMigration}. Import with the version that exported, and upgrade then.`,
    )
  const session = await database.openSession()
  try {
    await session.run('begin')
    await importTables(session, options, manifest, use.schema)
    await session.run('commit')
    // Without statistics the first queries would read whole tables.
    await session.run('analyze')
    return manifest
  } catch (error) {
    await session.run('rollback').catch(() => undefined)
    throw error
  } finally {
    await session.close()
  }
}

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { array, boolean, type Database, jsonb, query, type Session, text } from 'payin-database'
import { migrate } from 'payin-database/migrations'
import { openDatabase } from 'payin-database/open'
import { createVault } from '../secrets/vault.ts'
import { connectionOf, parseSettings, type Settings } from '../settings/config.ts'
import { migrationsFolder, version } from '../settings/version.ts'

const findHome = query('find_home_schema', {
  row: { schema: text, newestMigration: text, isUsed: boolean },
  text: `select current_schema()::text as schema, left((select max(name) from schema_migrations), 4) as newest_migration,
      exists (select from service_state) or exists (select from merchants) as is_used`,
})

const listChecks = query('list_key_checks_to_copy', {
  row: { value: text },
  text: `select distinct value from service_state where name = 'key_check' or name like 'key:%'`,
})

const listTables = query('list_tables_to_copy', {
  parameters: { schema: text },
  row: { name: text, columns: jsonb<readonly string[]>(), refersTo: jsonb<readonly string[]>(), hasFiles: boolean },
  text: `select tables.relname::text as name,
      (select jsonb_agg(quote_ident(attname) order by attnum) from pg_attribute
        where attrelid = tables.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      (select coalesce(jsonb_agg(distinct others.relname), '[]') from pg_constraint as keys
        join pg_class as others on others.oid = keys.confrelid
        where keys.conrelid = tables.oid and keys.contype = 'f' and keys.confrelid <> tables.oid) as refers_to,
      exists (select from pg_attribute where attrelid = tables.oid and attname = 'content_sealed') as has_files
    from pg_class as tables join pg_namespace as schemas on schemas.oid = tables.relnamespace
    where schemas.nspname = :schema and tables.relkind = 'r' and tables.relname not in ('schema_migrations', 'schema_lock')
    order by tables.relname`,
})

type Table = ReturnType<typeof listTables.decode>

/** Tables in an order in which rows may be inserted: each after those that it refers to. */
const inOrder = (tables: readonly Table[]): Table[] => {
  const ordered = new Map<string, Table>()
  while (ordered.size < tables.length) {
    const next = tables.filter(
      ({ name, refersTo }) => !ordered.has(name) && refersTo.every((other) => ordered.has(other)),
    )
    if (next.length === 0) throw new Error('The tables refer to each other in a circle.')
    for (const table of next) ordered.set(table.name, table)
  }
  return [...ordered.values()]
}

/** A session, and the schema of its tables. */
type Side = { readonly session: Session; readonly schema: string }

/** The number of rows of a table, and a sum over them that does not depend on their order. */
const sumOf = async ({ session, schema }: Side, { name }: Table) => {
  const sum = query(`sum_of_${name}`, {
    planned: 'whole',
    row: { rows: text, sum: text },
    text: `select count(*)::text as rows, coalesce(sum(hashtextextended(each::text, 0)::numeric), 0)::text as sum
      from "${schema}"."${name}" as each`,
  })
  return (await session.query(sum, {}))[0] ?? { rows: '0', sum: '0' }
}

/** Copies the rows of a table, some at a time, and returns their number. Refuses to go on if they are not the same. */
const copyTable = async (from: Side, to: Side, table: Table): Promise<string> => {
  const { name, columns, hasFiles } = table
  const fetch = query(`fetch_${name}`, { row: { row: text }, text: `fetch ${hasFiles ? 2 : 1000} from copied` })
  const insert = query(`insert_${name}`, {
    parameters: { rows: array(text) },
    text: `insert into "${to.schema}"."${name}" (${columns.join()})
      select ${columns.map((column) => `(typed.row).${column}`).join()} from (
        select input.row::"${to.schema}"."${name}" as row from unnest(:rows) with ordinality as input (row, ordinal)
          order by ordinal offset 0
      ) as typed`,
  })
  const source = `"${from.schema}"."${name}"`
  await from.session.run(
    `declare copied no scroll cursor for select each::text as row from ${source} as each order by ctid`,
  )
  for (;;) {
    const rows = await from.session.query(fetch, {})
    if (rows.length === 0) break
    await to.session.query(insert, { rows: rows.map(({ row }) => row) })
  }
  await from.session.run('close copied')
  const [sent, received] = await Promise.all([sumOf(from, table), sumOf(to, table)])
  if (sent.rows === received.rows && sent.sum === received.sum) return sent.rows
  throw new Error(`${name} was not copied as it is: ${received.rows} rows of ${sent.rows}, or another sum.`)
}

/** Opens the database that a service with these settings, started in a folder, would open. */
export const openForCopy = async (
  variables: Readonly<Record<string, string | undefined>>,
  folder: string,
  mustExist = false,
) => {
  const parsed = parseSettings(variables)
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'))
  const { settings } = parsed
  const dataDir = resolve(folder, settings.dataDir)
  if (mustExist && settings.databaseUrl === undefined && !existsSync(dataDir))
    throw new Error(
      `There is no database in ${dataDir}, and DATABASE_URL is not set. Run this in the folder of the service, or name its settings with PAYIN_CONFIG.`,
    )
  const database = await openDatabase({ ...connectionOf(settings), dataDir })
  return { database, settings }
}

const requireFit = async (from: Database, to: Database, { encryptionKeys }: Settings) => {
  const vault = encryptionKeys && createVault(encryptionKeys)
  const checks = vault ? await from.query(listChecks, {}) : []
  const missing = checks.find(({ value }) => vault?.verifyKeyCheck(value) === false)
  if (missing)
    throw new Error(
      `The database is sealed with the key ${missing.value.split('.')[1]}, which the PAYIN_ENCRYPTION_KEYS of the other one do not have, or have another of that name.`,
    )
  await migrate(to, migrationsFolder, { mayApply: true, version, onLog: () => undefined })
  const [[source], [target]] = await Promise.all([from.query(findHome, {}), to.query(findHome, {})])
  if (!source || !target) throw new Error('The database has no schema.')
  if (target.isUsed) throw new Error('The database is not empty: copy into one that no service has been started on.')
  if (source.newestMigration !== target.newestMigration)
    throw new Error(
      `The database has migrations up to ${source.newestMigration}, and this version ${target.newestMigration}. Copy with the version of the service, and upgrade then.`,
    )
  return { source: source.schema, target: target.schema }
}

/**
 * Copies all rows, as of one moment, into an empty database, in one transaction: either completely, with the same rows
 * and sums, or not at all. Throws a readable Error if the other database is in use, or does not fit.
 */
export const copyDatabase = async (
  from: Database,
  { database: to, settings }: Awaited<ReturnType<typeof openForCopy>>,
  onTable: (table: string, rows: string) => void,
): Promise<void> => {
  const schemas = await requireFit(from, to, settings)
  const source = { session: await from.openSession(), schema: schemas.source }
  const target = { session: await to.openSession(), schema: schemas.target }
  try {
    await source.session.run('begin isolation level repeatable read read only')
    await target.session.run('begin')
    const tables = inOrder(await target.session.query(listTables, { schema: target.schema }))
    // The rows that migrations have inserted are in the source, too.
    for (const { name } of tables.toReversed()) await target.session.run(`delete from "${target.schema}"."${name}"`)
    for (const table of tables) onTable(table.name, await copyTable(source, target, table))
    await target.session.run('commit')
    // Without statistics the first queries would read whole tables.
    await target.session.run('analyze')
  } finally {
    for (const { session } of [source, target]) {
      // Ends what was not committed.
      await session.run('rollback').catch(() => undefined)
      await session.close()
    }
  }
}

// The migrated cluster that the installation keeps for new embedded databases.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Database, query, text } from 'payin-database'
import { migrate } from 'payin-database/migrations'
import { openDatabase, openEmbedded } from 'payin-database/open'
import { migrationsFolder } from '../../src/settings/version.ts'
import { version } from '../../src/settings/version.ts'

const root = join(import.meta.dirname, '..', '..')
const options = { poolSize: 1, preparedStatements: true, queryTimeoutMs: 60_000 }

const runScript = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts', 'prepare-start.ts'), ...args], { cwd: root, encoding: 'utf8' })

const listObjects = query('test_list_objects', {
  row: { name: text },
  text: `select concat_ws(' ', c.relkind::text, c.relname, array_to_string(c.reloptions, ','), a.attname,
      format_type(a.atttypid, a.atttypmod), a.attnotnull::text, pg_get_expr(d.adbin, d.adrelid)) as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and a.attnum > 0
    union all
    select concat_ws(' ', conrelid::regclass::text, conname, pg_get_constraintdef(oid)) from pg_constraint
    where connamespace = 'public'::regnamespace
    union all select pg_get_indexdef(indexrelid) from pg_index where indrelid in
      (select oid from pg_class where relnamespace = 'public'::regnamespace)
    union all select concat_ws(' ', proname, prosrc) from pg_proc where pronamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger
    order by 1`,
})

const listTables = query('test_list_tables', {
  row: { name: text },
  text: `select tablename::text as name from pg_tables where schemaname = 'public' order by 1`,
})

const insertNote = query('test_insert_note', {
  text: `insert into schema_migrations (name, checksum, applied_at, oldest, applied_by) values ('a note', '', now(), '', '')`,
})
const listNotes = query('test_list_notes', {
  row: { name: text },
  text: `select name from schema_migrations where checksum = ''`,
})

const folder = mkdtempSync(join(tmpdir(), 'payin-kept-'))
const kept = join(folder, 'kept.tar')

before(() => {
  const { status, stdout, stderr } = runScript(kept)
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' })
})

after(() => rmSync(folder, { recursive: true, force: true }))

const open = async (newCluster?: string) => {
  const dataDir = mkdtempSync(join(folder, 'data-'))
  const logged: string[] = []
  const onLog = (message: string): void => void logged.push(message)
  const engine = await openEmbedded({ dataDir, queryTimeoutMs: 60_000, newCluster, onLog })
  const database = await openDatabase({ ...options, dataDir, engine: Promise.resolve(engine) })
  return { dataDir, engine, database, logged }
}

/** What a database has: its objects, and the rows of its tables without times. */
const describeContent = async (database: Database): Promise<string[]> => {
  const content = (await database.query(listObjects, {})).map(({ name }) => name)
  for (const { name } of await database.query(listTables, {})) {
    const rows = query(`test_rows_of_${name}`, {
      row: { row: text },
      text: `select (to_jsonb(r) - 'applied_at')::text as row from ${name} r order by 1`,
    })
    for (const { row } of await database.query(rows, {})) content.push(`${name}: ${row}`)
  }
  return content
}

test('a copy has what all migrations make of an empty database', async () => {
  const { engine, database, logged } = await open(kept)
  assert.ok(engine.isCopy)
  assert.deepEqual(await migrate(database, migrationsFolder), [], 'nothing is left to migrate')
  const copied = await describeContent(database)
  assert.deepEqual(logged, [])
  await database.close()

  const { engine: empty, database: migrated } = await open()
  assert.ok(!empty.isCopy)
  await migrate(migrated, migrationsFolder, { version })
  assert.deepEqual(copied, await describeContent(migrated))
  await migrated.close()
  assert.ok(copied.length > 1000, String(copied.length))
})

test('a copy keeps what is committed, also after a crash', async () => {
  const { engine, database, dataDir } = await open(kept)
  await database.query(insertNote, {})
  engine.reopen('as in a crash')
  assert.deepEqual(await database.query(listNotes, {}), [{ name: 'a note' }])
  await database.close()
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.startsWith('cluster')),
    ['cluster'],
  )
})

test('an archive that is damaged or gone is not used, and the database is empty', async () => {
  const content = readFileSync(kept)
  const damaged = join(folder, 'damaged.tar')
  for (const [bytes, reason] of [
    [Buffer.alloc(0), 'it is not whole'],
    [content.subarray(0, content.length / 2), 'Invalid typed array length'],
    [Buffer.concat([content.subarray(0, 512 * 1000), Buffer.alloc(content.length)]), 'it is not whole'],
    [undefined, 'no such file'],
  ] as const) {
    if (bytes === undefined) rmSync(damaged)
    else writeFileSync(damaged, bytes)
    const { engine, database, logged } = await open(damaged)
    assert.ok(!engine.isCopy)
    assert.equal(logged.length, 1)
    assert.ok(
      logged[0]?.includes(`${damaged} is not used for the new database: `) && logged[0].includes(reason),
      logged[0],
    )
    assert.deepEqual(await database.query(listTables, {}), [])
    await database.close()
  }
})

test('a cluster is kept once', () => {
  const { mtimeMs } = statSync(kept)
  assert.equal(runScript(kept).status, 0)
  assert.equal(statSync(kept).mtimeMs, mtimeMs)
})

// The migrated cluster that the installation keeps for new embedded databases.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test, type TestContext } from 'node:test'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { openEmbedded } from '../../src/database/embedded.ts'
import { findKeptCluster } from '../../src/database/kept-cluster.ts'
import { migrate } from '../../src/database/migrate.ts'
import { query, text } from '../../src/database/query.ts'
import { migrationsFolder } from '../../src/database/read-migrations.ts'
import { createEmptyEmbedded } from '../support/templates.ts'

const root = join(import.meta.dirname, '..', '..')
const options = { poolSize: 1, preparedStatements: true, queryTimeoutMs: 10_000 }

const runScript = () =>
  spawnSync(process.execPath, [join(root, 'scripts', 'prepare-start.ts')], { cwd: root, encoding: 'utf8' })

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
    union all select concat_ws(' ', name, checksum, oldest) from schema_migrations
    order by 1`,
})

const insertNote = query('test_insert_note', {
  text: `insert into schema_migrations (name, checksum, applied_at) values ('a note', '', now())`,
})
const listNotes = query('test_list_notes', {
  row: { name: text },
  text: `select name from schema_migrations where checksum = ''`,
})

before(() => {
  const { status, stderr } = runScript()
  assert.equal(status, 0, stderr)
})

const openCopy = async (t: TestContext) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-kept-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const logged: string[] = []
  const onLog = (message: string): void => void logged.push(message)
  const newCluster = findKeptCluster()
  assert.ok(newCluster !== undefined)
  const engine = await openEmbedded({ dataDir, queryTimeoutMs: 10_000, newCluster, onLog })
  const database = await openDatabase({ ...options, dataDir, engine: Promise.resolve(engine) })
  return { dataDir, engine, database, logged }
}

const list = async (database: Database): Promise<string[]> =>
  (await database.query(listObjects, {})).map(({ name }) => name)

test('a copy has what all migrations make of an empty database', async (t) => {
  const { database, logged } = await openCopy(t)
  assert.deepEqual(await migrate(database, migrationsFolder), [], 'nothing is left to migrate')
  const copied = await list(database)
  await database.close()
  assert.deepEqual(
    logged.filter((message) => /recovery|interrupted/.test(message)),
    [],
  )

  const dataDir = await createEmptyEmbedded()
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const other = await openDatabase({ ...options, dataDir })
  await migrate(other, migrationsFolder)
  assert.deepEqual(copied, await list(other))
  assert.ok(copied.length > 1000, String(copied.length))
  await other.close()
})

test('a copy keeps what is committed, also after a crash', async (t) => {
  const { engine, database, dataDir } = await openCopy(t)
  await database.query(insertNote, {})
  engine.reopen('as in a crash')
  assert.deepEqual(await database.query(listNotes, {}), [{ name: 'a note' }])
  await database.close()
  assert.ok(!readdirSync(dataDir).includes('cluster.new'))
})

test('there is one for the current schema, and the script does nothing if there is', () => {
  const kept = findKeptCluster()
  assert.ok(kept !== undefined && existsSync(kept))
  const { status, stdout, stderr } = runScript()
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' })
})

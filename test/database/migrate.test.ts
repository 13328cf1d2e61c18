import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import pg from 'pg'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { bigint, query, text } from '../../src/database/query.ts'
import { engines, type Engine } from '../support/service.ts'
import { createEmptyEmbedded } from '../support/templates.ts'

const migrations = join(import.meta.dirname, '..', '..', 'migrations')
const names = readdirSync(migrations).toSorted()
const processes = 6
const server = process.env['TEST_DATABASE_URL']
const skipOf = (engine: Engine): string | false =>
  engine === 'postgres' && !server ? 'no PostgreSQL on this machine' : false

const listApplied = query('test_list_applied', {
  row: { name: text, checksum: text },
  text: `select name, checksum from schema_migrations order by name`,
})

const countRows = query('test_count_catalog_parts', {
  row: { rows: bigint },
  text: `select count(*) as rows from catalog_versions`,
})

let made = 0

/** Runs `work` with an empty database and a copy of the migrations that it may change. */
const onEmpty = async (
  engine: Engine,
  work: (place: { url: string | undefined; folder: string; open: () => Promise<Database> }) => Promise<void>,
): Promise<void> => {
  const base = engine === 'embedded' ? await createEmptyEmbedded() : mkdtempSync(join(tmpdir(), 'payin-migrate-'))
  const folder = join(base, 'migrations')
  cpSync(migrations, folder, { recursive: true })
  const name = `payin_migrate_${process.pid}_${++made}`
  const admin = new pg.Client({ connectionString: server })
  const url = engine === 'postgres' ? server?.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`) : undefined
  const open = (): Promise<Database> =>
    openDatabase({
      url,
      dataDir: base,
      poolSize: 2,
      preparedStatements: true,
      queryTimeoutMs: 30_000,
    })
  if (url) {
    await admin.connect()
    await admin.query(`create database ${name}`)
  }
  try {
    await work({ url, folder, open })
  } finally {
    if (url) await admin.query(`drop database ${name} with (force)`)
    await admin.end()
    rmSync(base, { recursive: true, force: true })
  }
}

const startChild = (url: string, folder: string) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'migrate-child.ts'), url, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => (await lines.next()).value ?? 'nothing'
  return { next, go: () => child.stdin.write('go\n') }
}

test(
  `${processes} processes that start at once apply each migration once [postgres]`,
  { skip: skipOf('postgres') },
  () =>
    onEmpty('postgres', async ({ url = '', folder, open }) => {
      const children = Array.from({ length: processes }, () => startChild(url, folder))
      for (const child of children) assert.equal(await child.next(), 'ready')
      for (const child of children) child.go()
      const applied = await Promise.all(children.map(async (child) => JSON.parse(await child.next()) as string[]))
      assert.deepEqual(applied.flat().toSorted(), names)
      assert.equal(applied.filter((each) => each.length > 0).length, 1)
      const database = await open()
      assert.deepEqual(
        (await database.query(listApplied, {})).map((row) => row.name),
        names,
      )
      assert.deepEqual(await database.query(countRows, {}), [{ rows: 6n }])
      await database.close()
    }),
)

for (const engine of engines) {
  const options = { skip: skipOf(engine) }

  test(`migrating applies what is missing, in order, and nothing twice [${engine}]`, options, () =>
    onEmpty(engine, async ({ folder, open }) => {
      const last = names.at(-1) ?? ''
      rmSync(join(folder, last))
      const database = await open()
      assert.deepEqual(await migrate(database, folder), names.slice(0, -1))
      assert.deepEqual(await migrate(database, folder), [])
      cpSync(join(migrations, last), join(folder, last))
      assert.deepEqual(await migrate(database, folder), [last])
      await database.close()
      const again = await open()
      assert.deepEqual(await migrate(again, folder), [])
      await again.close()
    }),
  )

  test(`a migration that was changed after it had been applied is refused [${engine}]`, options, () =>
    onEmpty(engine, async ({ folder, open }) => {
      const database = await open()
      await migrate(database, folder)
      const before = await database.query(listApplied, {})
      appendFileSync(join(folder, names[1] ?? ''), '\n-- changed\n')
      writeFileSync(join(folder, '9999_next.sql'), 'create table next (id integer primary key);')
      await assert.rejects(migrate(database, folder), new RegExp(`${names[1]} was changed after it had been applied`))
      assert.deepEqual(await database.query(listApplied, {}), before)
      await database.close()
    }),
  )

  test(`a database of a newer version is refused, untouched [${engine}]`, options, () =>
    onEmpty(engine, async ({ folder, open }) => {
      const database = await open()
      writeFileSync(join(folder, '9999_next.sql'), 'create table next (id integer primary key);')
      await migrate(database, folder)
      rmSync(join(folder, '9999_next.sql'))
      await assert.rejects(migrate(database, folder), /newer version of Payin \(9999_next\.sql\)/)
      await database.close()
    }),
  )

  test(
    `a database of migrations from before the baseline is refused with what to do, untouched [${engine}]`,
    options,
    () =>
      onEmpty(engine, async ({ folder, open }) => {
        const database = await open()
        const former = join(folder, '0001_former.sql')
        renameSync(join(folder, names[0] ?? ''), former)
        writeFileSync(join(folder, '9999_next.sql'), 'create table next (id integer primary key);')
        await migrate(database, folder)
        const before = await database.query(listApplied, {})
        rmSync(join(folder, '9999_next.sql'))
        renameSync(former, join(folder, names[0] ?? ''))
        await assert.rejects(
          migrate(database, folder),
          /unreleased version of Payin \(2 migrations .*0001_former\.sql\), and cannot be upgraded\. Start with an empty database, by another DATABASE_URL or PAYIN_DATA_DIR/,
        )
        assert.deepEqual(await database.query(listApplied, {}), before)
        await database.close()
      }),
  )

  test(`a migration that fails leaves nothing of itself or of those after it [${engine}]`, options, () =>
    onEmpty(engine, async ({ folder, open }) => {
      const database = await open()
      writeFileSync(join(folder, '9998_half.sql'), 'create table half (id integer primary key); select 1 / 0;')
      await assert.rejects(migrate(database, folder), { code: '22012' })
      assert.deepEqual(await database.query(listApplied, {}), [])
      writeFileSync(join(folder, '9998_half.sql'), 'create table half (id integer primary key);')
      assert.deepEqual(await migrate(database, folder), [...names, '9998_half.sql'])
      await database.close()
    }),
  )
}

import assert from 'node:assert/strict'
import { appendFileSync, cpSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bigint, query, text } from 'payin-database'
import { migrate } from 'payin-database/migrations'
import { connectTo, onEmpty, startMigrating } from '../support/migrations.ts'
import { engines, type Engine } from '../support/service.ts'
import { within } from '../support/waiting.ts'

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

test(
  `${processes} processes that start at once apply each migration once [postgres]`,
  { skip: skipOf('postgres') },
  () =>
    onEmpty('postgres', async ({ url, folder, open }) => {
      const children = Array.from({ length: processes }, () => startMigrating({ url, dataDir: '' }, folder))
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
      assert.deepEqual(await database.query(countRows, {}), [{ rows: 7n }])
      await database.close()
    }),
)

test(
  'a process that begins while another one has the lock does not wait for it in the database [postgres]',
  { skip: skipOf('postgres') },
  () =>
    onEmpty('postgres', async ({ url, folder, open }) => {
      const holder = await connectTo(url)
      await holder.query('create table schema_lock (id integer primary key, taken bigint not null)')
      await holder.query('insert into schema_lock (id, taken) values (1, 0)')
      await holder.query('begin; update schema_lock set taken = taken + 1 where id = 1')
      const database = await open()
      const waiting = Promise.withResolvers<string>()
      const migrated = migrate(database, folder, { onLog: waiting.resolve })
      assert.match(await within('it says that it waits', waiting.promise), /another process is migrating/)
      await holder.query('rollback')
      assert.deepEqual(await migrated, names)
      await holder.end()
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

  test(`an older version runs on the database of a newer one until the marker passes it [${engine}]`, options, () =>
    onEmpty(engine, async ({ folder, open }) => {
      const database = await open()
      const asNewer = async (name: string, content: string): Promise<void> => {
        writeFileSync(join(folder, name), content)
        assert.deepEqual(await migrate(database, folder, { version: '7.1.0' }), [name])
      }
      await migrate(database, folder)
      const older = readdirSync(folder).length
      await asNewer('9997_next.sql', 'create table next (id integer primary key);')
      await asNewer('9998_after.sql', `--! oldest ${names.at(-1)?.slice(0, 4)}\n--! contract: unread\ndrop table next;`)
      const withFiles = async (count: number): Promise<readonly string[]> => {
        const copy = `${folder}-${count}`
        cpSync(folder, copy, { recursive: true })
        for (const name of readdirSync(copy).toSorted().slice(count)) rmSync(join(copy, name))
        return migrate(database, copy)
      }
      assert.deepEqual(await withFiles(older), [])
      await asNewer('9999_last.sql', '--! oldest 9998\n--! contract: unread\nselect 1;')
      assert.deepEqual(await withFiles(older + 2), [], 'the version that has 9998 may run')
      await assert.rejects(
        withFiles(older),
        new RegExp(
          `newer version of Payin \\(9997_next\\.sql, 9998_after\\.sql, 9999_last\\.sql\\), and only versions that have migration 9998 may run on it; this one has those up to ${names.at(-1)}\\. Start version 7\\.1\\.0 or a later one, or restore a backup`,
        ),
      )
      await database.close()
    }),
  )

  test(`a process that may not migrate says what is missing, and changes nothing [${engine}]`, options, () =>
    onEmpty(engine, async ({ folder, open }) => {
      const database = await open()
      const refused = (what: string): Promise<void> =>
        assert.rejects(migrate(database, folder, { mayApply: false }), new RegExp(`${what}.*PAYIN_MIGRATE=only`))
      await refused(`${names[0]}, ${names[1]}`)
      await assert.rejects(database.query(listApplied, {}), { code: '42P01' })
      await migrate(database, folder)
      assert.deepEqual(await migrate(database, folder, { mayApply: false }), [])
      writeFileSync(join(folder, '9999_next.sql'), 'create table next (id integer primary key);')
      await refused('\\(9999_next\\.sql\\)')
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

  test(`a migration that fails leaves nothing of itself, and those before it stay [${engine}]`, options, () =>
    onEmpty(engine, async ({ folder, open }) => {
      const database = await open()
      writeFileSync(join(folder, '9998_half.sql'), 'create table half (id integer primary key); select 1 / 0;')
      await assert.rejects(migrate(database, folder), { code: '22012' })
      const applied = await database.query(listApplied, {})
      assert.deepEqual(
        applied.map((row) => row.name),
        names,
      )
      writeFileSync(join(folder, '9998_half.sql'), 'create table half (id integer primary key);')
      assert.deepEqual(await migrate(database, folder), ['9998_half.sql'])
      await database.close()
    }),
  )
}

// Migrating next to traffic, next to others who migrate, and after a crash.
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate, parseMigration } from 'payin-database/migrations'
import { splitCommands } from '../../packages/database/src/read-migrations.ts'
import { connectTo, onEmpty, startMigrating } from '../support/migrations.ts'
import { until, within } from '../support/waiting.ts'

const skip = process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine'

const orders = `create table orders (id integer primary key, note text);
  insert into orders select each from generate_series(1, 10) each;`

/** What a migration that is under way has applied; fails when it does not end. */
const applied = <T>(migrating: Promise<T>): Promise<T> => within('the migration has ended', migrating, 60_000)

const killed = async (child: ChildProcess): Promise<void> => {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await within('the process has exited', exited)
}

describe('migrating next to traffic [postgres]', { skip }, () => {
  for (const { lockTimeoutMs, passes } of [
    { lockTimeoutMs: 1000, passes: true },
    { lockTimeoutMs: 60_000, passes: false },
  ]) {
    const title = passes
      ? 'a migration that waits for a long read lets others pass, says who reads, and is applied afterwards'
      : 'control: without the limit everybody waits for the long read'
    test(title, () =>
      onEmpty(
        'postgres',
        async ({ url, folder, open }) => {
          const database = await open()
          await applied(migrate(database, folder))
          writeFileSync(join(folder, '0002_more.sql'), 'alter table orders add column more text;')
          const [reader, writer] = [await connectTo(url), await connectTo(url)]
          await reader.query('begin')
          const { rows } = await reader.query<{ pid: number }>('select pg_backend_pid() as pid from orders limit 1')
          const log: string[] = []
          const migrating = migrate(database, folder, { lockTimeoutMs, onLog: (line) => log.push(line) })
          const waiting = `select from pg_stat_activity
            where datname = current_database() and application_name = 'payin migrations' and wait_event_type = 'Lock'`
          await until('the migration waits for a lock', async () => (await writer.query(waiting)).rowCount === 1)
          await writer.query(`set lock_timeout = ${passes ? 20_000 : 600}`)
          const write = () => writer.query(`update orders set note = 'written'`)
          if (passes) {
            for (let count = 0; count < 20; count++) await write()
            await until('the migration says that it makes way', () => log.length > 0)
            const reason = `a lock is held by process ${rows[0]?.pid} \\(a person, user .*, idle in transaction, for \\d+ s\\)`
            assert.match(log[0] ?? '', new RegExp(`^migration 0002_more.sql makes way: ${reason}; attempt 2 of 10`))
          } else {
            await assert.rejects(write(), { code: '55P03' })
          }
          await reader.query('commit')
          assert.deepEqual(await applied(migrating), ['0002_more.sql'])
          await Promise.all([reader.end(), writer.end(), database.close()])
        },
        { '0001_orders.sql': orders },
      ),
    )
  }

  test('a migration that never gets its lock is given up whole, and names who has it', () =>
    onEmpty(
      'postgres',
      async ({ url, folder, open }) => {
        const database = await open()
        await applied(migrate(database, folder))
        writeFileSync(join(folder, '0002_more.sql'), 'create table more (); alter table orders add column more text;')
        const reader = await connectTo(url)
        await reader.query('begin; select from orders')
        await assert.rejects(
          applied(migrate(database, folder, { lockTimeoutMs: 50, attempts: 2 })),
          /0002_more\.sql was given up after 2 attempts, because a lock is held by process \d+ \(a person.*Nothing of it is applied/,
        )
        await reader.query('commit; create table more ()')
        await Promise.all([reader.end(), database.close()])
      },
      { '0001_orders.sql': orders },
    ))

  test('an index is built next to reads and writes; one that a crash left invalid is built again', () =>
    onEmpty(
      'postgres',
      async ({ url, dataDir, folder, open }) => {
        const database = await open()
        await applied(migrate(database, folder))
        writeFileSync(
          join(folder, '0002_index.sql'),
          '--! no transaction\n-- Why.\ncreate index concurrently orders_note on orders (note);',
        )
        const [reader, writer] = [await connectTo(url), await connectTo(url)]
        // Its picture of the data is older than the index.
        await reader.query('begin isolation level repeatable read; select from orders')
        const validity = async (): Promise<boolean | undefined> => {
          const { rows } = await writer.query<{ indisvalid: boolean }>(
            `select indisvalid from pg_index where indexrelid = to_regclass('orders_note')`,
          )
          return rows[0]?.indisvalid
        }
        const { child, next, go } = startMigrating({ url, dataDir }, folder)
        assert.equal(await next(), 'ready')
        go()
        await until('the index is there, and not valid', async () => (await validity()) === false)
        await killed(child)
        await writer.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'payin migrations'`,
        )
        assert.equal(await validity(), false)
        const log: string[] = []
        const migrating = migrate(database, folder, { lockTimeoutMs: 100, onLog: (line) => log.push(line) })
        await until('the migration says who it waits for', () =>
          log.some((line) => /waits and blocks nobody: a lock is held by process/.test(line)),
        )
        await writer.query(`update orders set note = 'written'`)
        await reader.query('commit')
        assert.deepEqual(await applied(migrating), ['0002_index.sql'])
        assert.equal(log[0], 'migration 0002_index.sql: index orders_note was left unfinished and is built again')
        assert.equal(await validity(), true)
        await Promise.all([reader.end(), writer.end(), database.close()])
      },
      { '0001_orders.sql': orders },
    ))

  test('rows are changed in batches; what fails after them goes on from there', () =>
    onEmpty(
      'postgres',
      async ({ url, folder, open }) => {
        const database = await open()
        await applied(migrate(database, folder))
        writeFileSync(
          join(folder, '0002_notes.sql'),
          `--! no transaction
          update orders set note = id % 9 where id in (select id from orders where note is null limit 4);
          create unique index concurrently orders_notes on orders (note);`,
        )
        await assert.rejects(applied(migrate(database, folder)), { code: '23505' })
        const client = await connectTo(url)
        const { rows } = await client.query(
          `select count(*)::integer as batches from (select distinct xmin::text from orders) x`,
        )
        assert.deepEqual(rows, [{ batches: 3 }])
        await client.query('delete from orders where id = 10')
        assert.deepEqual(await applied(migrate(database, folder)), ['0002_notes.sql'])
        const indexes = await client.query(
          `select indisvalid from pg_index where indexrelid = 'orders_notes'::regclass`,
        )
        assert.deepEqual(indexes.rows, [{ indisvalid: true }])
        await Promise.all([client.end(), database.close()])
      },
      { '0001_orders.sql': orders },
    ))
})

describe('migrating next to other processes [postgres]', { skip }, () => {
  test('who finds another process migrating waits, says so, and migrates nothing twice', () =>
    onEmpty(
      'postgres',
      async ({ folder, open }) => {
        const nodes = await Promise.all([open(), open()])
        const log: string[] = []
        const migrating = nodes.map((node) => migrate(node, folder, { onLog: (line) => log.push(line) }))
        assert.deepEqual((await applied(Promise.all(migrating))).flat(), ['0001_slow.sql'])
        assert.deepEqual(log.toSorted(), [
          'another process is migrating the database; waiting for it',
          'migration 0001_slow.sql is applied',
        ])
        await Promise.all(nodes.map((node) => node.close()))
      },
      { '0001_slow.sql': 'select pg_sleep(0.3);' },
    ))

  test('nothing is taken away from an older version while it runs', () =>
    onEmpty(
      'postgres',
      async ({ folder, open }) => {
        const database = await open({ newestMigration: '0002' })
        await applied(migrate(database, folder))
        const older = await open({ newestMigration: '0001' })
        await older.transaction(async () => undefined)
        writeFileSync(join(folder, '0002_more.sql'), 'alter table orders add column more text;')
        writeFileSync(
          join(folder, '0003_less.sql'),
          '--! oldest 0002\n--! contract: 0002 reads more\nalter table orders drop column note;',
        )
        await assert.rejects(
          applied(migrate(database, folder)),
          /0003_less\.sql takes away what running processes of an older version use: they have migrations up to 0001 and would need 0002/,
        )
        await older.close()
        assert.deepEqual(await applied(migrate(database, folder)), ['0003_less.sql'])
        await database.close()
      },
      { '0001_orders.sql': orders },
    ))
})

for (const engine of ['embedded', 'postgres'] as const) {
  test(
    `a kill -9 in the middle of migrating loses nothing and leaves nothing half done [${engine}]`,
    {
      skip: engine === 'postgres' && skip,
    },
    () =>
      onEmpty(
        engine,
        async ({ url, dataDir, folder, open }) => {
          const { child, next, go } = startMigrating({ url, dataDir }, folder)
          assert.equal(await next(), 'ready')
          go()
          if (engine === 'embedded') {
            assert.equal(await next(), 'migration 0001_orders.sql is applied')
            await sleep(50)
          } else {
            const client = await connectTo(url)
            const sleeping = `select from pg_stat_activity where datname = current_database() and query ~ '^select pg_sleep' and state = 'active'`
            await until('the migration sleeps', async () => (await client.query(sleeping)).rowCount === 1)
            await client.end()
          }
          await killed(child)
          writeFileSync(join(folder, '0002_slow.sql'), 'create table slow ();')
          const database = await open()
          // The server may still run what the killed process had sent; it is waited for.
          assert.deepEqual(await applied(migrate(database, folder, { lockTimeoutMs: 200 })), ['0002_slow.sql'])
          await database.close()
        },
        { '0001_orders.sql': orders, '0002_slow.sql': 'create table slow (); select pg_sleep(1);' },
      ),
  )
}

describe('reading migrations', () => {
  test('a text is split into its commands, without comments', () => {
    const text = `-- first; not a command
      create table a (b text default ';'); /* ; */ insert into "a;" values ('it''s; one');
      do $$ begin; end $$; do $x$ ; $$ ; $x$ -- last`
    assert.deepEqual(splitCommands(text), [
      `create table a (b text default ';')`,
      `insert into "a;" values ('it''s; one')`,
      'do $$ begin; end $$',
      'do $x$ ; $$ ; $x$',
    ])
    assert.deepEqual(splitCommands(' ; -- nothing\n;'), [])
    assert.throws(() => splitCommands(`select 'a`), /' is opened and not closed/)
  })

  test('marks say how a migration is applied; one that is not known is refused', () => {
    const { number, oldest, contract, withoutTransaction } = parseMigration(
      '0014_less.sql',
      '--! oldest 0013\n--! contract: unread since 0013\nalter table a drop column b;',
    )
    assert.deepEqual([number, oldest, contract, withoutTransaction], ['0014', '0013', 'unread since 0013', false])
    assert.throws(() => parseMigration('0014_a.sql', '--! no transactions\nselect 1'), /is not "no transaction"/)
    for (const command of ['alter table a add b text', 'create index concurrently if not exists i on a (b)']) {
      assert.throws(() => parseMigration('0014_a.sql', `--! no transaction\n${command}`), /could not be resumed/)
    }
  })
})

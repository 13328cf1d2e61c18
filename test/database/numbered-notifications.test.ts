// The upgrade that gives a position to notifications without one.
import assert from 'node:assert/strict'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate } from '../../src/database/migrate.ts'
import { bigint, query, text } from '../../src/database/query.ts'
import { onEmpty } from '../support/migrations.ts'
import { engines } from '../support/service.ts'

const migrations = join(import.meta.dirname, '..', '..', 'migrations')
const later = readdirSync(migrations).filter((name) => name >= '0080')

const id = (last: string): string => `'00000000-0000-7000-8000-${last.padStart(12, '0')}'::uuid`
const [known, fresh, emptied] = [id('a'), id('b'), id('c')]

/** A merchant with two notifications that have positions, one without any, and one whose positioned ones are gone. */
const fill = `
  insert into merchants (id, name, mode, status, settings, created_at)
    select each, 'Shop', 'live', 'active', '{}', now() from unnest(array[${known}, ${fresh}, ${emptied}]) as each;
  insert into event_counters values (${known}, 2), (${emptied}, 7);
  insert into outbox (merchant_id, id, payment_id, sequence, kind, body, position, created_at) values
    (${known}, ${id('1')}, null, null, 'endpoint.test', 'first', 1, '2026-01-01'),
    (${known}, ${id('2')}, null, null, 'endpoint.test', 'second', 2, '2026-01-02'),
    (${known}, ${id('3')}, ${id('f')}, 3, 'payment.paid', 'fifth', null, '2026-01-04'),
    (${known}, ${id('4')}, ${id('f')}, 2, 'payment.processing', 'fourth', null, '2026-01-05'),
    (${known}, ${id('5')}, null, null, 'endpoint.test', 'third', null, '2026-01-03'),
    (${known}, ${id('6')}, ${id('f')}, 1, 'payment.new', 'new', null, '2026-01-02'),
    (${fresh}, ${id('7')}, null, null, 'endpoint.test', 'alone', null, '2026-01-01'),
    (${emptied}, ${id('8')}, null, null, 'endpoint.test', 'next', null, '2026-01-01')`

const listPositions = query('test_list_positions', {
  row: { position: bigint, body: text },
  text: `select position, body from outbox order by merchant_id, position`,
})

const listCounters = query('test_list_counters', {
  row: { last: bigint, queued: bigint },
  text: `select counters.position as last, coalesce(queued.position, 0) as queued from event_counters as counters
    left join queued_notifications as queued using (merchant_id) order by merchant_id`,
})

for (const engine of engines) {
  const skip = engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false
  test(`notifications without a position get one in an upgrade, and are queued afterwards [${engine}]`, { skip }, () =>
    onEmpty(engine, async ({ folder, open }) => {
      for (const name of later) rmSync(join(folder, name))
      const database = await open()
      await migrate(database, folder)
      await database.transaction((tx) => tx.script(fill))
      for (const name of later) cpSync(join(migrations, name), join(folder, name))
      assert.deepEqual(await migrate(database, folder), later.toSorted())
      const placed = (await database.query(listPositions, {})).map(({ position, body }) => `${position} ${body}`)
      const expected = ['1 first', '2 second', '3 third', '4 fourth', '5 fifth', '1 alone', '8 next']
      assert.deepEqual(placed, expected)
      assert.deepEqual(await database.query(listCounters, {}), [
        { last: 5n, queued: 2n },
        { last: 1n, queued: 0n },
        { last: 8n, queued: 7n },
      ])
      await database.close()
    }),
  )
}

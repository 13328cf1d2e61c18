// One pool for the work of many schemas: each sees its own tables, and a busy one leaves room for the others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database } from '../../src/database/database.ts'
import { openChanges } from '../../src/database/changes.ts'
import { bigint, query, text } from '../../src/database/query.ts'
import { onEmpty } from '../support/migrations.ts'
import { engines, type Engine } from '../support/service.ts'

const skipOf = (engine: Engine): string | false =>
  engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false

const readOwner = query('test_read_owner', { row: { owner: text }, text: `select owner from owners` })
const countNotes = query('test_count_notes', { row: { count: bigint }, text: `select count(*) as count from notes` })
const addNote = query('test_add_note', { parameters: { note: text }, text: `insert into notes (note) values (:note)` })
const sleepLong = query('test_sleep', { row: { done: text }, text: `select pg_sleep(0.2)::text as done` })
const divide = query('test_divide', {
  row: { one: bigint },
  text: `select 1 / count(*) as one from notes where note = ''`,
})

const schemas = Array.from({ length: 12 }, (_, index) => `tenant_${index}`)

/** Makes schemas whose tables know whose they are, and opens each. */
const openAll = async (database: Database): Promise<Map<string, Database>> => {
  const session = await database.openSession()
  for (const schema of schemas) {
    await session.run(`create schema ${schema}`)
    await session.run(`create table ${schema}.owners as select '${schema}' as owner`)
    await session.run(`create table ${schema}.notes (note text)`)
  }
  await session.run(`create table owners as select 'home' as owner`)
  await session.run(`create table notes (note text)`)
  await session.close()
  return new Map(schemas.map((schema) => [schema, database.inSchema(schema)]))
}

for (const engine of engines) {
  test(
    `queries and transactions of many schemas run at once, each on its own tables [${engine}]`,
    {
      skip: skipOf(engine),
    },
    () =>
      onEmpty(engine, async ({ open }) => {
        const database = await open({ poolSize: 4 })
        const all = await openAll(database)
        const round = async (own: Database, owner: string): Promise<void> => {
          assert.deepEqual(await own.query(readOwner, {}), [{ owner }])
          await assert.rejects(own.query(divide, {}), /division by zero/)
          await assert.rejects(
            own.transaction(async (tx) => {
              await tx.query(addNote, { note: 'rolled back' })
              assert.deepEqual(await tx.query(readOwner, {}), [{ owner }])
              throw new Error('given up')
            }),
            /given up/,
          )
          await own.transaction((tx) => tx.query(addNote, { note: owner }))
        }
        const rounds = [...all].flatMap(([schema, own]) => Array.from({ length: 5 }, () => round(own, schema)))
        await Promise.all([...rounds, round(database, 'home')])
        for (const own of all.values()) assert.deepEqual(await own.query(countNotes, {}), [{ count: 5n }])
        assert.deepEqual(await database.query(countNotes, {}), [{ count: 1n }])
        const session = await [...all.values()][3]?.openSession()
        assert.deepEqual(await session?.query(readOwner, {}), [{ owner: 'tenant_3' }])
        await session?.close()
        assert.deepEqual(await database.query(readOwner, {}), [{ owner: 'home' }])
        await database.close()
      }),
  )
}

test(
  'a schema whose queries take long leaves connections to the others, which wait for none of them',
  {
    skip: skipOf('postgres'),
  },
  () =>
    onEmpty('postgres', async ({ open }) => {
      const database = await open({ poolSize: 5 })
      const [noisy, ...others] = [...(await openAll(database)).values()] as [Database, ...Database[]]
      let done = 0
      const noise = Array.from({ length: 40 }, () => noisy.query(sleepLong, {}).then(() => done++))
      await Promise.all(others.map((own) => own.query(readOwner, {})))
      assert.ok(done <= 8, `${done} of 40 long queries were waited for`)
      await Promise.all(noise)
      await database.close()
    }),
)

test('with one connection in all, two schemas that always have work take turns', { skip: skipOf('postgres') }, () =>
  onEmpty('postgres', async ({ open }) => {
    const database = await open({ poolSize: 1 })
    const [first, second] = [...(await openAll(database)).values()] as [Database, Database]
    const order: string[] = []
    const ask = (own: Database, name: string) => own.query(readOwner, {}).then(() => order.push(name))
    await Promise.all([...Array.from({ length: 20 }, () => ask(first, 'a')), ...[1, 2, 3].map(() => ask(second, 'b'))])
    assert.ok(order.lastIndexOf('b') <= 8, order.join(''))
    await database.close()
  }),
)

test('nobody hears of the changes of another schema', { skip: skipOf('postgres') }, () =>
  onEmpty('postgres', async ({ open }) => {
    const database = await open({ poolSize: 2 })
    const [first, second] = [...(await openAll(database)).keys()] as [string, string]
    const own = await openChanges(database.inSchema(first), 'one')
    const same = await openChanges(database.inSchema(first), 'two')
    const other = await openChanges(database.inSchema(second), 'three')
    let heard = ''
    const arrived = Promise.withResolvers<void>()
    other.subscribe('key', () => (heard += 'other'))
    same.subscribe('key', () => {
      heard += 'same'
      arrived.resolve()
    })
    own.publish(['key'])
    await arrived.promise
    assert.equal(heard, 'same')
    await database.close()
  }),
)

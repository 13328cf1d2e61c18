// Small queries of many schemas share a transaction, and none of them suffers from another one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database } from '../../src/database/database.ts'
import { query, text } from '../../src/database/query.ts'
import { connectTo, onEmpty } from '../support/migrations.ts'

const skip = process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine'

const count = 8
const schemas = Array.from({ length: count }, (_, index) => `tenant_${index}`)

const addNote = query('test_add_joint_note', {
  isJoint: true,
  parameters: { note: text },
  row: { owner: text, transaction: text },
  text: `with added as (insert into notes (note) values (:note) on conflict do nothing)
    select owner, pg_current_xact_id()::text as transaction from owners`,
})
const listNotes = query('test_list_joint_notes', { row: { note: text }, text: `select note from notes order by note` })
const lockNotes = query('test_lock_joint_notes', { text: `lock table notes` })
const endOthers = query('test_end_sessions', {
  row: { ended: text },
  text: `select pg_terminate_backend(pid)::text as ended from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`,
})

const onSchemas = (work: (all: Map<string, Database>, url: string | undefined) => Promise<void>) =>
  onEmpty('postgres', async ({ open, url }) => {
    const database = await open({ poolSize: 6 })
    const session = await database.openSession()
    for (const schema of schemas) {
      await session.run(`create schema ${schema}`)
      await session.run(`create table ${schema}.owners as select '${schema}' as owner`)
      await session.run(`create table ${schema}.notes (note text primary key check (note <> 'bad'))`)
    }
    await session.close()
    await work(new Map(schemas.map((schema) => [schema, database.inSchema(schema)])), url)
    await database.close()
  })

const notesOf = async (own: Database): Promise<string> =>
  (await own.query(listNotes, {})).map(({ note }) => note).join()

test('queries of many schemas at once are one transaction, each on its own tables', { skip }, () =>
  onSchemas(async (all) => {
    const added = await Promise.all([...all.values()].map((own) => own.query(addNote, { note: 'first' })))
    assert.deepEqual(
      added.flatMap((rows) => rows.map(({ owner }) => owner)),
      schemas,
    )
    assert.equal(new Set(added.flatMap((rows) => rows.map(({ transaction }) => transaction))).size, 1)
    for (const own of all.values()) assert.equal(await notesOf(own), 'first')
  }),
)

test('a query that fails is refused alone, and its schema goes alone from then on', { skip }, () =>
  onSchemas(async (all) => {
    const badOne = all.get('tenant_3') as Database
    for (const [round, note] of ['first', 'second'].entries()) {
      const good = [...all.values()].filter((own) => own !== badOne)
      const [refused, ...added] = await Promise.all([
        badOne.query(addNote, { note: 'bad' }).then(
          () => 'added',
          (error: Error) => error.message,
        ),
        ...good.map((own) => own.query(addNote, { note })),
      ])
      assert.match(refused, /violates check constraint/)
      const transactions = new Set(added.flatMap((rows) => rows.map(({ transaction }) => transaction)))
      // At first it has undone the transaction of all, who have then run alone.
      assert.equal(transactions.size, round === 0 ? good.length : 1)
    }
    for (const own of all.values()) assert.equal(await notesOf(own), own === badOne ? '' : 'first,second')
  }),
)

test('nobody waits for the locks of another schema', { skip }, () =>
  onSchemas(async (all) => {
    const slow = all.get('tenant_0') as Database
    const order: string[] = []
    await slow.transaction(async (tx) => {
      await tx.query(lockNotes, {})
      const waiting = slow.query(addNote, { note: 'late' }).then(() => order.push('slow'))
      const others = [...all.values()].filter((own) => own !== slow)
      await Promise.all(others.map((own) => own.query(addNote, { note: 'first' })))
      order.push('others')
      waiting.catch(() => undefined)
    })
    while ((await notesOf(slow)) === '') await new Promise((done) => setTimeout(done, 10))
    assert.equal(order[0], 'others')
  }),
)

test('what was acknowledged is there, however often connections are cut', { skip }, () =>
  onSchemas(async (all, url) => {
    const killer = await connectTo(url)
    let isDone = false
    const killing = (async () => {
      for (let cuts = 0; !isDone || cuts < 3; cuts++) {
        await killer.query(endOthers.text)
        await new Promise((done) => setTimeout(done, 50))
      }
    })()
    const notes = Array.from({ length: 40 }, (_each, index) => `note-${String(index).padStart(2, '0')}`)
    const acknowledged = new Map([...all.keys()].map((schema) => [schema, [] as string[]]))
    await Promise.all(
      [...all].map(async ([schema, own]) => {
        for (const note of notes) {
          await own.query(addNote, { note }).then(
            () => acknowledged.get(schema)?.push(note),
            () => undefined,
          )
        }
      }),
    )
    isDone = true
    await killing
    await killer.end()
    for (const [schema, own] of all) {
      const found = new Set((await own.query(listNotes, {})).map(({ note }) => note))
      assert.deepEqual(
        acknowledged.get(schema)?.filter((note) => !found.has(note)),
        [],
      )
    }
    assert.ok([...acknowledged.values()].some((list) => list.length > 0))
  }),
)

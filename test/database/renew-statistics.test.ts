import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { renewStatistics } from '../../packages/database/src/renew-statistics.ts'

const server = process.env['TEST_DATABASE_URL']
const skip = server ? false : 'no PostgreSQL on this machine'

test('a plan that was kept while a table was tiny is made again when it has grown', { skip }, async () => {
  const name = `payin_statistics_${process.pid}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const connectionString = server?.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`)
  // One session, as one that serves requests: its plans are kept.
  const session = new pg.Client({ connectionString })
  await session.connect()
  const other = new pg.Client({ connectionString })
  await other.connect()
  const kept = async (): Promise<string> => {
    const { rows } = await session.query<{ 'QUERY PLAN': string }>(`explain execute find('{1}')`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
  try {
    await session.query(`set plan_cache_mode = force_generic_plan; set enable_seqscan = off;
      create table grown (id bigint primary key, note text) with (autovacuum_enabled = off); analyze grown;
      prepare find (bigint[]) as select note from unnest($1) as input (id) join grown using (id)`)
    const atFirst = await kept()
    assert.deepEqual(await renewStatistics(session), [], 'nothing has grown')
    await session.query(`insert into grown select id, repeat('x', 100) from generate_series(1, 5000) as id`)
    assert.equal(await kept(), atFirst)
    assert.doesNotMatch(atFirst, /Index Cond/, 'the whole of a tiny index is read')
    assert.deepEqual(await renewStatistics(session), ['grown'])
    assert.match(await kept(), /Nested Loop[\s\S]+Index Cond: \(id = input\.id\)/)
    assert.deepEqual(await renewStatistics(session), [], 'once is enough')
    // Counted while what fills it is not committed yet: it is seen as many pages without a row.
    await session.query('truncate grown; analyze grown')
    await other.query(`begin; insert into grown select id, repeat('x', 100) from generate_series(1, 5000) as id`)
    assert.deepEqual(await renewStatistics(session), ['grown'])
    assert.deepEqual(await renewStatistics(session), [], 'nothing is committed')
    await other.query('commit; select pg_stat_force_next_flush()')
    await other.query('select 1')
    await session.query('select pg_stat_clear_snapshot()')
    assert.deepEqual(await renewStatistics(session), ['grown'], 'it has rows now')
    assert.deepEqual(await renewStatistics(session), [], 'once is enough')
  } finally {
    await other.end()
    await session.end()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
})

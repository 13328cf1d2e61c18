import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { type EmbeddedEngine, openEmbedded } from 'payin-database/open'
import { countOf } from '../support/torture.ts'
import { until, within } from '../support/waiting.ts'

const KILLS = countOf(10)
const ENDLESS = 'select count(*) from generate_series(1, 10000000000::bigint)'
const folder = mkdtempSync(join(tmpdir(), 'payin-embedded-'))

after(() => rmSync(folder, { recursive: true, force: true }))

function poolOf(engine: EmbeddedEngine): pg.Pool {
  const pool = new pg.Pool({ max: 1, idleTimeoutMillis: 0, stream: () => engine.createStream() })
  pool.on('error', () => {})
  return pool
}

async function withEngine<T>(dataDir: string, work: (pool: pg.Pool, engine: EmbeddedEngine) => Promise<T>): Promise<T> {
  const engine = await openEmbedded({ dataDir, queryTimeoutMs: 60_000 })
  const pool = poolOf(engine)
  try {
    return await work(pool, engine)
  } finally {
    await pool.end()
    await engine.close()
  }
}

function startChild(dataDir: string, firstId = 0): { child: ChildProcess; lines: string[]; exited: Promise<void> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'embedded-child.ts'), dataDir, String(firstId)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  reader.on('line', (line) => lines.push(line))
  const exited = new Promise<void>((done) => reader.on('close', () => child.once('close', () => done())))
  return { child, lines, exited }
}

describe('embedded database', () => {
  const dataDir = join(folder, 'shared', 'data')
  let engine: EmbeddedEngine
  let pool: pg.Pool

  before(async () => {
    engine = await openEmbedded({ dataDir, queryTimeoutMs: 60_000 })
    pool = poolOf(engine)
    await pool.query('create table kept (id bigint primary key)')
  })
  after(async () => {
    await pool.end()
    await engine.close()
  })

  // The idle client of the pool holds the only session until it is thrown away.
  async function freeSession(): Promise<void> {
    const client = await pool.connect()
    client.release(true)
  }

  test('the directory is for the owner only', () => {
    assert.equal(statSync(dataDir).mode & 0o777, 0o700)
  })

  test('every commit reaches fsync, a read does not', async () => {
    const start = engine.fsyncs()
    for (let id = 1; id <= 20; id++) await pool.query('insert into kept values ($1)', [id])
    const written = engine.fsyncs()
    assert.ok(written - start >= 20, `${written - start} fsyncs for 20 commits`)
    for (let read = 0; read < 20; read++) await pool.query('select id from kept')
    assert.equal(engine.fsyncs(), written)
  })

  test('sessions speak UTC and ISO', async () => {
    const { rows } = await pool.query(`select current_setting('TimeZone') zone, current_setting('DateStyle') style`)
    assert.deepEqual(rows, [{ zone: 'UTC', style: 'ISO, MDY' }])
  })

  test('an error leaves the session usable', async () => {
    await assert.rejects(pool.query('select $1::int', ['x']), { code: '22P02' })
    await assert.rejects(pool.query('insert into kept values (1)'), { code: '23505' })
    assert.equal((await pool.query('select 1 as one')).rows[0].one, 1)
  })

  test('5 MB parameters and 100 000 rows pass unchanged', async () => {
    const text = 'żółw '.repeat(800_000)
    const bytes = Buffer.alloc(5_000_000, Buffer.from([0, 255, 1, 254]))
    const { rows } = await pool.query('select $1::text as text, $2::bytea as bytes', [text, bytes])
    assert.ok(rows[0].text === text)
    assert.ok(bytes.equals(rows[0].bytes))
    const many = await pool.query(`select n, repeat('r', 50) filler from generate_series(1, 100000) n`)
    assert.equal(many.rowCount, 100_000)
    assert.equal(many.rows[99_999].n, 100_000)
  })

  test('pipelined queries keep their order and their own results', async () => {
    await freeSession()
    const options = { pipeline: true, stream: () => engine.createStream() }
    const client = new pg.Client(options)
    await client.connect()
    const query = { name: 'echo', text: 'select 10 / $1::int as n' }
    const sent = Array.from({ length: 200 }, (_, n) => client.query({ ...query, values: [n % 5] }))
    for (const [n, answer] of (await Promise.allSettled(sent)).entries()) {
      if (n % 5 === 0) assert.equal(answer.status, 'rejected')
      else assert.equal(answer.status === 'fulfilled' && answer.value.rows[0].n, Math.trunc(10 / (n % 5)))
    }
    await client.end()
  })

  test('a client that vanishes inside a transaction leaves neither it nor its queries behind', async () => {
    for (const query of ['select 1 as one', 'select 1/0']) {
      await freeSession()
      const client = await pool.connect()
      client.on('error', () => {})
      await client.query('begin')
      await client.query({ name: 'same', text: 'insert into kept values ($1)', values: [777] })
      await client.query(query).catch(() => {})
      client.release(true)
      const found = { name: 'same', text: 'select count(*)::int n from kept where id = $1', values: [777] }
      assert.deepEqual((await pool.query(found)).rows, [{ n: 0 }])
      await pool.query('vacuum kept') // not allowed inside a transaction
    }
  })

  test('a second client waits for the first to end', async () => {
    const other = new pg.Client({ stream: () => engine.createStream() })
    const first = await pool.connect()
    await first.query('begin')
    let connected = false
    const connecting = other.connect().then(() => (connected = true))
    await sleep(100)
    assert.equal(connected, false)
    first.release(true)
    await connecting
    assert.equal((await other.query('select pg_current_xact_id_if_assigned() as open')).rows[0].open, null)
    await other.end()
  })

  test('a checkpoint waits for the open transaction', async () => {
    const client = await pool.connect()
    await client.query('begin')
    let checkpointed = false
    const checkpoint = engine.checkpoint().then(() => (checkpointed = true))
    await client.query('select 1')
    assert.equal(checkpointed, false)
    await client.query('commit')
    client.release()
    await checkpoint
  })

  test('an engine that ends unasked is replaced', async () => {
    const client = await pool.connect()
    client.on('error', () => {})
    // COPY from the client is not for this engine: it loses the protocol and ends.
    await client.query('copy kept from stdin').then(
      () => assert.fail('copied'),
      (error: { code: string }) => assert.equal(error.code, '57P02'),
    )
    client.release(true)
    assert.equal((await pool.query('select count(*)::int n from kept where id = 20')).rows[0].n, 1)
  })

  test('a second opener is refused with the directory, the holder and the cure', async () => {
    await assert.rejects(openEmbedded({ dataDir, queryTimeoutMs: 1000 }), /in use by another process/)
    const { lines, exited } = startChild(dataDir)
    await exited
    assert.equal(lines.length, 1)
    assert.ok(
      lines[0]?.startsWith(
        `refused The database directory ${dataDir} is in use by another process (process id ${process.pid})`,
      ),
    )
    assert.match(lines[0] ?? '', /Stop that process first/)
    assert.equal((await pool.query('select 1 as one')).rows[0].one, 1)
  })
})

describe('a query that does not end', () => {
  let engine: EmbeddedEngine
  let pool: pg.Pool
  const lost: string[] = []

  before(async () => {
    const onLog = (message: string): void => void lost.push(message)
    engine = await openEmbedded({ dataDir: join(folder, 'endless'), queryTimeoutMs: 200, onLog })
    pool = poolOf(engine)
  })
  after(async () => {
    await pool.end()
    await engine.close()
  })

  /** A query that may take its time, however busy the machine is. */
  const ask = (text: string): Promise<pg.QueryResult> => engine.patiently(60_000, () => pool.query(text))

  test('it is cut with 57014; the next query works and committed rows are there', async () => {
    await ask('create table kept as select 1000 as id')
    await within('it is cut', assert.rejects(pool.query(ENDLESS), { code: '57014' }))
    assert.deepEqual((await ask('select id from kept')).rows, [{ id: 1000 }])
  })

  test('it is cut, too, if its client has gone', async () => {
    lost.length = 0
    const client = await pool.connect()
    client.on('error', () => {})
    client.query(ENDLESS).catch(() => {})
    client.release(true)
    await until('it is cut', () => lost.some((message) => message.includes('ran longer than 200 ms')))
    assert.deepEqual((await ask('select id from kept')).rows, [{ id: 1000 }])
  })
})

test(`after each of ${KILLS} kills in the middle of writes all acknowledged rows are there`, async () => {
  const dataDir = join(folder, 'killed')
  const acknowledged = new Set<number>()
  for (let round = 0; round < KILLS; round++) {
    const { child, lines, exited } = startChild(dataDir, round * 1_000_000)
    await until('it writes', () => lines.length > 5)
    await sleep(Math.random() * 150)
    child.kill('SIGKILL')
    await exited
    for (const line of lines.filter((text) => /^\d+$/.test(text))) acknowledged.add(Number(line)).add(Number(line) + 1)
  }
  await withEngine(dataDir, async (pool) => {
    const { rows } = await pool.query('select id::text from written')
    const present = new Set(rows.map(({ id }) => Number(id)))
    assert.deepEqual(
      [...acknowledged].filter((id) => !present.has(id)),
      [],
    )
    assert.deepEqual(
      [...present].filter((id) => !present.has(id ^ 1)),
      [],
      'half of a commit',
    )
    assert.ok(acknowledged.size > KILLS * 5)
  })
})

test('the engine is not optimised at the cost of the memory of a small machine', {
  skip: process.platform === 'linux' ? false : 'only Linux says how much memory a process had at its peak',
}, async () => {
  const { child, lines, exited } = startChild(join(folder, 'small'))
  // V8 would begin to optimise the parser while the engine opens; that took a second and 600 MB.
  await until('it writes', () => lines.length > 5)
  await sleep(2000)
  const [, peakKb = 'unknown'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
  child.kill('SIGKILL')
  await exited
  assert.ok(Number(peakKb) < 450_000, `${peakKb} kB at its peak`)
})

test('a kill during the first start leaves a directory that opens', async () => {
  const isMade = (dataDir: string): boolean => existsSync(join(dataDir, 'cluster'))
  let dataDir = ''
  // A busy machine may make the whole directory before it is seen.
  for (let tries = 1; dataDir === '' || isMade(dataDir); tries++) {
    assert.ok(tries <= 20, 'always killed too late for this test')
    dataDir = join(folder, `interrupted-${tries}`)
    const { child, exited } = startChild(dataDir)
    await until(
      'the directory is being made',
      () => existsSync(join(dataDir, 'cluster.new', 'PG_VERSION')) || isMade(dataDir),
    )
    child.kill('SIGKILL')
    await exited
  }
  await withEngine(dataDir, async (pool) => {
    assert.equal((await pool.query('select 1 as one')).rows[0].one, 1)
    assert.equal(existsSync(join(dataDir, 'cluster.new')), false)
  })
})

test('without the fsync hook the start is refused, and the directory is free again', async () => {
  const dataDir = join(folder, 'not-durable')
  await assert.rejects(
    openEmbedded({ dataDir, queryTimeoutMs: 1000, withoutFsync: true }),
    /did not force a commit to disk/,
  )
  await withEngine(dataDir, async (pool, engine) => {
    assert.ok(engine.fsyncs() > 0)
    await pool.query('select 1')
  })
})

test('a directory of another PostgreSQL version is refused, untouched', async () => {
  const dataDir = join(folder, 'older')
  mkdirSync(join(dataDir, 'cluster'), { recursive: true })
  writeFileSync(join(dataDir, 'cluster', 'PG_VERSION'), '17\n')
  await assert.rejects(openEmbedded({ dataDir, queryTimeoutMs: 1000 }), /made by PostgreSQL 17/)
  assert.equal(readFileSync(join(dataDir, 'cluster', 'PG_VERSION'), 'utf8'), '17\n')
})

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { type Codec, type Database, NotDone, type OpenTransaction, query } from 'payin-database'
import { openDatabase } from 'payin-database/open'
import { refuseNotDone } from '../../src/engine/coalesce.ts'
import * as codecs from '../../packages/database/src/query.ts'
import { openDatabaseProxy } from '../support/database-proxy.ts'
import { engines } from '../support/service.ts'
import { createEmptyEmbedded } from '../support/templates.ts'

const { array, bigint, boolean, instant, integer, jsonb, nullable, text, uuid } = codecs
const server = process.env['TEST_DATABASE_URL']

let named = 0
const nextName = (): string => `test_database_${++named}`

const echo = <T>(codec: Codec<T>) => ({
  single: query(nextName(), {
    parameters: { value: nullable(codec) },
    row: { value: nullable(codec) },
    text: `select :value as value`,
  }),
  many: query(nextName(), {
    parameters: { values: array(nullable(codec)) },
    row: { value: nullable(codec) },
    text: `select value from unnest(:values) with ordinality as input (value, position) order by position`,
  }),
})

const withoutNul = (value: string): boolean => !value.includes('\0')
// PostgreSQL keeps no NUL character in a text; everything else that is well-formed must come back as it was.
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }).filter(withoutNul),
  fc.string({
    unit: fc.constantFrom('"', '\\', '{', '}', ',', "'", ' ', '\n', '\r', '\t', 'n', 'N', 'ß', '😀', '$1', ':a'),
  }),
  fc.constantFrom('', 'null', 'NULL', 'Null', '\\N', '"null"', ' ', '{}', '{null}', 'a,b', '\\', '""', "'", '\u2028'),
)
const anyJson = fc
  .jsonValue({ stringUnit: 'binary' })
  .filter((value) => !JSON.stringify(value).includes('\\u0000'))
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)

const trips: readonly (readonly [name: string, codec: Codec<unknown>, values: fc.Arbitrary<unknown>])[] = [
  ['bigint', bigint, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })],
  ['integer', integer, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })],
  ['text', text, anyText],
  ['uuid', uuid, fc.uuid()],
  ['boolean', boolean, fc.boolean()],
  [
    'instant',
    instant,
    fc.integer({ min: Date.parse('1000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') }),
  ],
  ['jsonb', jsonb<unknown>(), anyJson],
]

test('times are read to the millisecond, and refused unless they are ISO dates in UTC', () => {
  assert.equal(instant.decode('2026-11-26 09:05:01+00'), Date.parse('2026-11-26T09:05:01Z'))
  assert.equal(instant.decode('2026-11-26 09:05:01.57+00'), Date.parse('2026-11-26T09:05:01.570Z'))
  assert.equal(instant.decode('2026-11-26 09:05:01.999999+00'), Date.parse('2026-11-26T09:05:01.999Z'))
  for (const value of [
    '2026-11-26 09:05:01+03',
    '2026-11-26 09:05:01',
    '26/11/2026 09:05:01+00',
    'infinity',
    '',
    '0050-11-26 09:05:01+00',
  ]) {
    assert.throws(() => instant.decode(value), /its session is not in UTC with ISO dates/, value)
  }
})

test('an id with a comma stays one element of an array', () => {
  assert.equal(array(uuid).encode(['a,b', 'c']), '{"a,b",c}')
  assert.equal(array(nullable(bigint)).encode([1n, null, -2n]), '{1,null,-2}')
})

const failWith = query('test_divide', {
  parameters: { by: integer },
  row: { result: integer },
  text: `select 1 / :by as result`,
})
const terminateSelf = query('test_terminate_self', {
  row: { done: boolean },
  text: `select pg_terminate_backend(pg_backend_pid()) as done`,
})
const setBalance = query('test_set_balance', {
  parameters: { id: integer, value: integer },
  text: `update test_accounts set value = :value where id = :id`,
})
const addToBalance = query('test_add_to_balance', {
  parameters: { id: integer, value: integer },
  text: `update test_accounts set value = value + :value where id = :id`,
})
const sumBalances = query('test_sum_balances', {
  row: { sum: integer },
  text: `select sum(value)::integer as sum from test_accounts`,
})
const one = { by: 1 }

const isUnavailable = (error: unknown): boolean => {
  assert.ok(error instanceof NotDone, String(error))
  assert.equal(error.code, 'database_unavailable')
  assert.equal(refuseNotDone(error).details.retryAfterSeconds, 2)
  return true
}

/** Waits at the first call for as many callers as there are, and never again. */
const meeting = (callers: number): (() => Promise<void>) => {
  const all = Promise.withResolvers<void>()
  let arrived = 0
  return async () => {
    if (++arrived === callers) all.resolve()
    await all.promise
  }
}

test('a query whose text and declaration do not fit is an error where it is declared', () => {
  const declare = (sql: string) =>
    query(nextName(), { parameters: { id: integer }, rows: { value: integer }, text: sql })
  assert.throws(() => declare(`select :id, :other from :rows`), /parameter :other is not declared/)
  assert.throws(() => declare(`select 1 from :rows`), /unused parameters id/)
  assert.throws(() => declare(`select :id`), /unused parameters rows/)
})

for (const engine of engines) {
  const skip = engine === 'postgres' && !server ? 'no PostgreSQL on this machine' : false
  describe(`database [${engine}]`, { skip }, () => {
    const queryTimeoutMs = 2500
    let dataDir = ''
    const name = `payin_database_${process.pid}`
    const ownUrl = server?.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`) ?? ''
    const admin = new pg.Client({ connectionString: server })
    let database: Database
    /** Whether it could be written when the embedded engine was lost, and when it was open again. */
    const writable: boolean[] = []
    before(async () => {
      if (engine === 'postgres') {
        await admin.connect()
        await admin.query(`create database ${name}`)
      }
      const url = engine === 'postgres' ? ownUrl : undefined
      dataDir = url ? '' : await createEmptyEmbedded()
      const onLog = (message: string): void => {
        if (/opened again|open again/.test(message)) writable.push(database.isWritable())
      }
      database = await openDatabase({ url, dataDir, poolSize: 4, preparedStatements: true, queryTimeoutMs, onLog })
      const session = await database.openSession()
      await session.run(`create table test_accounts (id integer primary key, value integer not null);
        insert into test_accounts values (1, 10), (2, 10)`)
      await session.close()
    })
    after(async () => {
      await database.close()
      if (engine === 'postgres') await admin.query(`drop database ${name} with (force)`)
      await admin.end()
      if (dataDir !== '') rmSync(dataDir, { recursive: true, force: true })
    })

    for (const [type, codec, values] of trips) {
      test(`values of ${type} come back as they went, also null and in arrays`, async () => {
        const { single, many } = echo(codec)
        await fc.assert(
          fc.asyncProperty(fc.option(values), fc.array(fc.option(values), { maxLength: 20 }), async (value, list) => {
            assert.deepEqual(await database.query(single, { value }), [{ value }])
            assert.deepEqual(
              (await database.query(many, { values: list })).map((row) => row.value),
              list,
            )
          }),
          { numRuns: 150 },
        )
      })
    }

    test('the extremes of each type come back', async () => {
      const cases: readonly (readonly [Codec<unknown>, readonly unknown[]])[] = [
        [bigint, [-(2n ** 63n), 2n ** 63n - 1n, 0n, 9007199254740993n, 999_999_999_999_999n]],
        [integer, [-(2 ** 31), 2 ** 31 - 1, 0]],
        [instant, [0, 1, 999, 1000, 1_769_862_600_000, 1_769_862_600_001, 1_769_862_600_100]],
        [text, ['x'.repeat(1_000_000), '\u{10ffff}', 'e\u0301', '\u00e9', '\r\n', '\u0001']],
        [jsonb<unknown>(), [null, [], {}, [null], { a: null, '': [{}] }, 'null', 1e21, 0.1, 5e-324, '"\\\n']],
      ]
      for (const [codec, values] of cases) {
        const { single, many } = echo(codec)
        for (const value of values.filter((each) => each !== null)) {
          assert.deepEqual(await database.query(single, { value }), [{ value }])
        }
        const list = values.filter((each) => each !== null)
        assert.deepEqual(
          (await database.query(many, { values: list })).map((row) => row.value),
          list,
        )
      }
    })

    test('the JSON null is not the null of SQL', async () => {
      const kinds = query(nextName(), {
        parameters: { json: jsonb<unknown>(), sql: nullable(jsonb<unknown>()) },
        row: { kind: nullable(text), isNull: boolean },
        text: `select jsonb_typeof(:json) as kind, :sql is null as is_null`,
      })
      assert.deepEqual(await database.query(kinds, { json: null, sql: null }), [{ kind: 'null', isNull: true }])
    })

    test('null in a column that is declared without it is an error, not a value', async () => {
      const wrong = query(nextName(), {
        row: { value: text },
        text: `select null::text as value`,
      })
      await assert.rejects(database.query(wrong, {}), /declared not null/)
    })

    test('rows go as objects: a column for each of their fields, numbered where that is asked for', async () => {
      const rows = [
        { merchantId: 'b', paidAt: Date.UTC(2026, 0, 1), amount: 5n, unused: true },
        { merchantId: 'a "quoted", {braced}', paidAt: null, amount: -7n, unused: false },
      ]
      const declaration = {
        rows: { merchantId: text, paidAt: nullable(instant), amount: bigint },
        row: { merchantId: text, paidAt: nullable(instant), amount: bigint, ordinal: integer },
      }
      const numbered = query(nextName(), {
        ...declaration,
        parameters: { plus: bigint },
        text: `select merchant_id, paid_at, amount + :plus as amount, ordinal::integer from :numberedRows order by ordinal`,
      })
      const plain = query(nextName(), {
        ...declaration,
        text: `select :columns, 0 as ordinal from :rows order by 1`,
      })
      const [first, second] = rows.map(({ unused: _, ...row }) => row)
      assert.deepEqual(await database.query(numbered, { plus: 1n, rows }), [
        { ...first, amount: 6n, ordinal: 1 },
        { ...second, amount: -6n, ordinal: 2 },
      ])
      assert.deepEqual(await database.query(plain, { rows }), [
        { ...second, ordinal: 0 },
        { ...first, ordinal: 0 },
      ])
      assert.deepEqual(await database.query(plain, { rows: [] }), [])
    })

    test('a transaction is whole or nothing, and an error of its own is thrown as it is', async () => {
      const wrong = new Error('changed my mind')
      const work = async (tx: OpenTransaction): Promise<void> => {
        await tx.query(setBalance, { id: 1, value: 999 })
        throw wrong
      }
      await assert.rejects(database.transaction(work), (error) => error === wrong)
      await assert.rejects(
        database.transaction((tx) => tx.query(failWith, { by: 0 })),
        { code: '22012' },
      )
      assert.deepEqual(await database.query(sumBalances, {}), [{ sum: 20 }])
    })

    for (const code of ['40001', '40P01']) {
      test(`a transaction that ends with ${code} runs again as a whole`, async () => {
        let attempts = 0
        const sum = await database.transaction(async (tx) => {
          await tx.query(addToBalance, { id: 1, value: 1 })
          await tx.query(addToBalance, { id: 2, value: -1 })
          if (++attempts < 4) await tx.script(`do $$ begin raise exception using errcode = '${code}'; end $$`)
          return tx.query(sumBalances, {})
        })
        assert.deepEqual(sum, [{ sum: 20 }])
        assert.equal(attempts, 4)
      })
    }

    test('a transaction that always conflicts is refused as database_unavailable after six tries', async () => {
      let attempts = 0
      const work = async (tx: OpenTransaction): Promise<void> => {
        attempts++
        await tx.script(`do $$ begin raise exception using errcode = '40001'; end $$`)
      }
      await assert.rejects(database.transaction(work), isUnavailable)
      assert.equal(attempts, 6)
    })

    if (engine === 'embedded') {
      test('an engine that is broken is opened again, with all that was committed, and the work is done', async () => {
        await database.query(setBalance, { id: 2, value: 11 })
        let attempts = 0
        writable.length = 0
        const working = database.transaction(async (tx) => {
          await tx.query(setBalance, { id: 1, value: 9 })
          if (++attempts === 1) await tx.script(`do $$ begin raise exception using errcode = '58P02'; end $$`)
          return tx.query(sumBalances, {})
        })
        assert.deepEqual(await working, [{ sum: 20 }])
        assert.equal(attempts, 2)
        assert.deepEqual(writable, [false, true])
      })
      return
    }

    test('a real deadlock is resolved: one of the two runs again', async () => {
      const met = meeting(2)
      let attempts = 0
      const move = (from: number, to: number): Promise<void> =>
        database.transaction(async (tx) => {
          attempts++
          await tx.query(addToBalance, { id: from, value: -1 })
          if (attempts <= 2) await met()
          await tx.query(addToBalance, { id: to, value: 1 })
        })
      await Promise.all([move(1, 2), move(2, 1)])
      // Mostly three: one that starts again at once can take the row back before the other wakes up, and meet it again.
      assert.ok(attempts >= 3)
      assert.deepEqual(await database.query(sumBalances, {}), [{ sum: 20 }])
    })

    test('a real serialization failure is resolved: one of the two runs again and sees the other', async () => {
      const met = meeting(2)
      let attempts = 0
      const seen: number[] = []
      const addSum = (id: number): Promise<void> =>
        database.transaction(async (tx) => {
          attempts++
          await tx.script('set transaction isolation level serializable')
          const [row] = await tx.query(sumBalances, {})
          if (attempts <= 2) await met()
          await tx.query(setBalance, { id, value: row?.sum ?? 0 })
          seen.push(row?.sum ?? 0)
        })
      await Promise.all([addSum(1), addSum(2)])
      assert.equal(attempts, 3)
      assert.notEqual(seen.at(-1), seen[0])
      await database.query(setBalance, { id: 1, value: 10 })
      await database.query(setBalance, { id: 2, value: 10 })
    })

    test('a connection that breaks outside a transaction is refused, and the pool recovers', async () => {
      await assert.rejects(database.query(terminateSelf, {}), isUnavailable)
      const answers = await Promise.all(Array.from({ length: 10 }, () => database.query(failWith, one)))
      assert.equal(answers.length, 10)
    })

    test('a connection that breaks inside a transaction: it runs again on another', async () => {
      let attempts = 0
      const sum = await database.transaction(async (tx) => {
        await tx.query(addToBalance, { id: 1, value: 1 })
        if (++attempts === 1) await tx.query(terminateSelf, {})
        await tx.query(addToBalance, { id: 1, value: -1 })
        return tx.query(sumBalances, {})
      })
      assert.deepEqual(sum, [{ sum: 20 }])
      assert.equal(attempts, 2)
    })

    test('a transaction whose connections all break is refused, and leaves nothing', async () => {
      const work = async (tx: OpenTransaction): Promise<void> => {
        await tx.query(addToBalance, { id: 1, value: 1 })
        await tx.query(terminateSelf, {})
      }
      await assert.rejects(database.transaction(work), isUnavailable)
      assert.deepEqual(await database.query(sumBalances, {}), [{ sum: 20 }])
    })

    test('a connection that breaks while the transaction does something else is noticed at its next query', async () => {
      let attempts = 0
      await database.transaction(async (tx) => {
        await tx.query(addToBalance, { id: 1, value: 1 })
        await tx.query(addToBalance, { id: 1, value: -1 })
        if (++attempts > 1) return
        await admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and state = 'idle in transaction'`,
          [name],
        )
        await sleep(50)
      })
      assert.equal(attempts, 2)
      assert.deepEqual(await database.query(sumBalances, {}), [{ sum: 20 }])
    })

    test('connections that break while nobody uses them are replaced unnoticed', async () => {
      await Promise.all(Array.from({ length: 4 }, () => database.query(failWith, one)))
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [name])
      await sleep(100)
      const answers = await Promise.all(Array.from({ length: 10 }, () => database.query(failWith, one)))
      assert.equal(answers.length, 10)
    })

    test('a connection that is cut while it is being prepared is replaced', async () => {
      const proxy = await openDatabaseProxy(ownUrl)
      const options = { url: proxy.url, dataDir: '', poolSize: 4, preparedStatements: true, queryTimeoutMs }
      const throughProxy = await openDatabase(options)
      try {
        proxy.cutAt('pg_backend_pid', 1)
        assert.equal((await throughProxy.query(failWith, one)).length, 1)
        await sleep(100)
      } finally {
        await throughProxy.close()
        await proxy.cut()
      }
    })

    test('a server that is out of reach is refused as database_unavailable', async () => {
      const url = 'postgresql://payin@127.0.0.1:1/none'
      const options = { url, dataDir: '', poolSize: 1, preparedStatements: true, queryTimeoutMs }
      const unreachable = await openDatabase(options)
      await assert.rejects(unreachable.query(failWith, one), isUnavailable)
      await assert.rejects(
        unreachable.transaction((tx) => tx.query(failWith, one)),
        isUnavailable,
      )
      await unreachable.close()
    })
  })
}

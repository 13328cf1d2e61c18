// Every declared query against the migrated schema: what the engine says of its parameters and columns must be what
// the code decodes.
import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { declaredQueries, type Query } from 'payin-database'
import { openEmbedded } from 'payin-database/open'
import { engines, type Engine } from '../support/service.ts'
import { cloneEmbedded, clonePostgres } from '../support/templates.ts'

const load = createRequire(import.meta.url)
const source = join(import.meta.dirname, '..', '..', 'src')
for (const file of globSync('**/*.ts', { cwd: source })) {
  if (/= (?:query|table|bringBack)\(/.test(readFileSync(join(source, file), 'utf8'))) load(join(source, file))
}
const queries = declaredQueries()

type Field = {
  readonly name: string
  readonly dataTypeID: number
  readonly tableID: number
  readonly columnID: number
}
type Description = { readonly parameterTypes: readonly number[]; readonly fields: readonly Field[] }
type Connection = pg.Connection & {
  parse(message: { name: string; text: string; types: readonly number[] }): void
  describe(message: { type: 'S'; name: string }): void
  sync(): void
}

/** Asks the engine to describe a query (Parse and Describe of the protocol) without running it. */
const describeQuery = (client: pg.Client, sql: string): Promise<Description> =>
  new Promise((resolve, reject) => {
    let parameterTypes: readonly number[] = []
    let fields: readonly Field[] = []
    const onParameters = (message: { dataTypeIDs: number[] }): void => {
      parameterTypes = message.dataTypeIDs
    }
    // What pg calls a submittable: it gets the connection for itself until the engine is ready again.
    const submittable = {
      submit: (connection: Connection): void => {
        connection.once('parameterDescription', onParameters)
        connection.parse({ name: '', text: sql, types: [] })
        connection.describe({ type: 'S', name: '' })
        connection.sync()
      },
      handleRowDescription: (message: { fields: Field[] }): void => {
        fields = message.fields
      },
      handleError: (error: Error, connection: Connection): void => {
        connection.off('parameterDescription', onParameters)
        reject(error)
      },
      handleReadyForQuery: (): void => resolve({ parameterTypes, fields }),
    }
    client.query(submittable as unknown as pg.Submittable)
  })

/** A text of each type: to find out what a codec says to null, and to run queries with. */
const samples: Readonly<Record<string, string>> = {
  uuid: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
  text: 'x',
  bigint: '1',
  integer: '1',
  boolean: 't',
  timestamptz: '2026-01-31 12:30:00+00',
  jsonb: '{}',
}

const sampleOf = (type: string): string | undefined =>
  type.endsWith('[]') ? `{${JSON.stringify(samples[type.slice(0, -2)])}}` : samples[type]

/** What the engine says to a query with samples for its parameters, which it leaves nothing of; undefined: it runs it. */
const runSampled = async (
  client: pg.Client,
  { text, parameterTypes }: Query<never, unknown>,
): Promise<Error | undefined> => {
  await client.query('begin')
  try {
    await client.query(text, parameterTypes.map(sampleOf))
    return undefined
  } catch (error) {
    return error as Error
  } finally {
    await client.query('rollback')
  }
}

/** Whether a query was refused for its samples alone. A Citus writes what is of its other nodes into the message. */
const isOfSamples = (error: Error): boolean =>
  error instanceof pg.DatabaseError &&
  (/^2[23]/.test(error.code ?? '') || /violates [a-z ]+ constraint/.test(error.message))

const refusesNull = (query: Query<never, unknown>, column: number): boolean => {
  try {
    query.decode(query.columns.map(({ type }, index) => (index === column ? null : (samples[type] ?? null))))
    return false
  } catch {
    return true
  }
}

/** Columns that may be null in their table, and are not in what the query returns. */
const neverNull: Readonly<Record<string, readonly string[]>> = {
  acknowledge_payments: ['acknowledged_at'],
  // By their conditions.
  count_readings_of_message_templates: ['template_id'],
  list_kept_phone_messages: ['content_sealed'],
  list_unread_phone_messages: ['content_sealed'],
  list_payers_of_refunded_payments: ['payment_id'],
  list_rate_agreements: ['agreed_at'],
  list_reversals_in_transit: ['transfer_id'],
  list_rate_proposals: ['price', 'proposed_by', 'proposed_at'],
  sum_unproven_credits: ['merchant_id'],
  // By the condition of the query.
  find_last_bank_order_of_refunds: ['bank_order'],
  // By the constraints on refunds.
  list_refunds_sent_in_bank_file: ['bank_order', 'payee_sealed'],
  list_sent_refunds: ['decision_id'],
  // By its condition.
  lock_merchants_with_due_report: ['reported_until'],
  list_refund_decisions_of_outgoing_transfers: ['decision_id'],
}

/** What writes and reads settings of the session or the time, and why a Citus takes it nevertheless. */
const writtenBySession: Readonly<Record<string, string>> = {
  free_keys_of_lone_reports: 'an id is added to a text, which the planner knows to be the same always',
  insert_migration: 'it inserts values, not what a query selects',
  lease_lanes: 'of parameters, not of columns',
  release_lanes: 'in an inner query',
  renew_lanes: 'of parameters, not of columns',
  reverse_overpayment_decision: 'an id is added to a text, which the planner knows to be the same always',
  shorten_payment: 'of parameters, not of columns',
  take_due_rate_sources: 'in an inner query',
  withdraw_transfer_parts: 'an id is added to a text, which the planner knows to be the same always',
}

/** The functions of a query whose result depends on settings of the session or the time, as those of times with a zone do. */
const listSessionFunctions = async (
  client: pg.Client,
  { text, parameterTypes }: Pick<Query<never, unknown>, 'text' | 'parameterTypes'>,
): Promise<string[]> => {
  await client.query('begin')
  try {
    const body = `begin atomic ${text}; select 1; end`
    await client.query(`create function parsed(${parameterTypes.join()}) returns integer language sql ${body}`)
    const { rows } = await client.query<{ name: string }>(
      `select distinct procedures.oid::regprocedure::text as name from pg_proc as parsed
       cross join regexp_matches(parsed.prosqlbody::text, ':(?:opfuncid|funcid) (\\d+)', 'g') as called
       join pg_proc as procedures on procedures.oid = called[1]::oid and procedures.provolatile = 's'
       where parsed.proname = 'parsed' order by 1`,
    )
    return rows.map(({ name }) => name)
  } finally {
    await client.query('rollback')
  }
}

type Plan = { readonly 'Node Type': string; readonly Plans?: readonly Plan[] }

const isGiven = (plan: Plan | undefined): boolean => plan?.['Node Type'] === 'Function Scan'
const readsGiven = (plan: Plan): boolean => isGiven(plan) || (plan.Plans ?? []).some(readsGiven)

/** Whether a plan looks something up for all given rows, and does so again for each row of a table. */
const repeatsGiven = (plan: Plan): boolean => {
  const [outer, inner] = plan.Plans ?? []
  const repeats =
    plan['Node Type'] === 'Nested Loop' && !isGiven(outer) && inner && !isGiven(inner) && readsGiven(inner)
  return repeats || (plan.Plans ?? []).some(repeatsGiven)
}

/** Columns that a join of the query may leave null though their table does not. */
const outerJoined = /\b(?:left|right|full)\s+join\b/

const onlyPostgres = (engine: Engine): string | false => engine === 'embedded' && 'the same on both engines'

/** A Citus makes functions on all of its nodes. */
const onlyEmbedded = (engine: Engine): string | false => engine === 'postgres' && 'the same on both engines'

const open = async (engine: Engine): Promise<{ client: pg.Client; close: () => Promise<void> }> => {
  const server = process.env['TEST_DATABASE_URL']
  if (engine === 'postgres' && server) {
    const { url, drop } = await clonePostgres(server)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return { client, close: () => client.end().then(drop) }
  }
  const dataDir = await cloneEmbedded()
  const embedded = await openEmbedded({ dataDir, queryTimeoutMs: 10_000 })
  const client = new pg.Client({ stream: () => embedded.createStream(), user: 'postgres', database: 'postgres' })
  await client.connect()
  const close = async (): Promise<void> => {
    await client.end()
    await embedded.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { client, close }
}

test('queries have names of their own', () => {
  const names = queries.map((query) => query.name)
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  )
  assert.ok(queries.length > 60, `${queries.length} queries`)
  // PostgreSQL cuts names of prepared statements after 63 bytes, of which the number of a schema may take three.
  assert.deepEqual(
    names.filter((name) => name.length > 60),
    [],
  )
})

test('lists with filters that may be absent are planned each time for those that are there', () => {
  const filtered = queries.filter(({ text }) => /\$\d+::\w+ is null or[\s\S]*\blimit \$\d/.test(text))
  const names = new Set(filtered.map(({ name }) => name))
  for (const name of ['list_payer_claims', 'list_newest_payments', 'list_newest_transfers_of_all'])
    assert.ok(names.has(name), name)
  assert.deepEqual(new Set(filtered.map(({ planned }) => planned)), new Set(['each-time']))
})

for (const engine of engines) {
  const skip = engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false
  describe(`declared queries fit the schema [${engine}]`, { skip }, () => {
    let client: pg.Client
    let close: () => Promise<void>
    const typeNames = new Map<number, string>()
    const notNull = new Set<string>()
    before(async () => {
      ;({ client, close } = await open(engine))
      const types = await client.query<{ oid: number; name: string }>(
        `select oid::int, format_type(oid, null) as name from pg_type`,
      )
      for (const { oid, name } of types.rows)
        typeNames.set(oid, name.replace('timestamp with time zone', 'timestamptz'))
      const columns = await client.query<{ key: string }>(
        `select attrelid || ' ' || attnum as key from pg_attribute where attnotnull`,
      )
      for (const { key } of columns.rows) notNull.add(key)
    })
    after(() => close())

    for (const query of queries) {
      test(query.name, async () => {
        const { parameterTypes, fields } = await describeQuery(client, query.text)
        const named = (oid: number): string => typeNames.get(oid) ?? `type ${oid}`
        assert.deepEqual(parameterTypes.map(named), query.parameterTypes, 'parameters')
        assert.deepEqual(
          fields.map((field) => ({ name: field.name, type: named(field.dataTypeID) })),
          query.columns,
          'columns',
        )
        if (outerJoined.test(query.text)) return
        for (const [index, field] of fields.entries()) {
          if (field.tableID === 0 || !refusesNull(query, index)) continue
          if (neverNull[query.name]?.includes(field.name)) continue
          assert.ok(notNull.has(`${field.tableID} ${field.columnID}`), `${field.name} may be null`)
        }
      })
    }

    test('every query runs, up to what the tables refuse to store', { skip: onlyPostgres(engine) }, async () => {
      // A Citus refuses some commands only when they run; sessions plan there as these do.
      await client.query('set plan_cache_mode = force_custom_plan')
      const refused = []
      for (const query of queries) {
        const error = await runSampled(client, query)
        if (error !== undefined && !isOfSamples(error)) refused.push(`${query.name}: ${error.message}`)
      }
      assert.deepEqual(refused, [])
    })

    // A Citus refuses such updates, and makes broken SQL of such inserts: it adds a condition without its column.
    test('what is written depends on no setting of the session', { skip: onlyEmbedded(engine) }, async () => {
      const found = []
      for (const query of queries.filter(({ text }) =>
        /\binsert into\b|\bupdate [a-z_.]+ (?:as [a-z]+ )?set\b/.test(text),
      ))
        if ((await listSessionFunctions(client, query)).length > 0) found.push(query.name)
      // A function turns their only parameter into rows.
      const isOfRotation = (name: string): boolean => name.startsWith('renew_sealed_')
      assert.ok(found.some(isOfRotation))
      assert.deepEqual(found.filter((name) => !isOfRotation(name)).toSorted(), Object.keys(writtenBySession))
      const text = `update payments set due_at = created_at + interval '1 hour'`
      assert.deepEqual(await listSessionFunctions(client, { text, parameterTypes: [] }), [
        'timestamptz_pl_interval(timestamp with time zone,interval)',
      ])
    })

    // A session keeps such a plan until the statistics are renewed: 3 s for each report of a new service.
    test('plans made while tables are empty look up each given row once', { skip: onlyEmbedded(engine) }, async () => {
      await client.query('set plan_cache_mode = force_generic_plan')
      const found = []
      for (const { name, text, parameterTypes } of queries.filter(({ planned }) => planned === 'once')) {
        if (!text.includes('unnest(')) continue
        await client.query(`prepare ${name} (${parameterTypes.join()}) as ${text}`)
        const nulls = parameterTypes.map(() => 'null').join()
        const { rows } = await client.query(`explain (format json) execute ${name} (${nulls})`)
        if (repeatsGiven(rows[0]['QUERY PLAN'][0].Plan)) found.push(name)
      }
      assert.deepEqual(found, [])
    })

    test('a query that does not fit is found', async () => {
      await assert.rejects(describeQuery(client, 'select nothing from payments'), { code: '42703' })
      const { fields } = await describeQuery(client, 'select amount::integer as total, claimed_at from payments')
      assert.deepEqual(
        fields.map((field) => [field.name, typeNames.get(field.dataTypeID)]),
        [
          ['total', 'integer'],
          ['claimed_at', 'timestamptz'],
        ],
      )
      assert.ok(!notNull.has(`${fields[1]?.tableID} ${fields[1]?.columnID}`))
    })
  })
}

// How the database finds deliveries.
import assert from 'node:assert/strict'
import pg from 'pg'
import type { Context } from '../../src/engine/context.ts'
import type { Query } from 'payin-database'
import { day, second } from '../../src/rules/time.ts'
import { leastIdAt } from '../../src/rules/values/id-text.ts'
import {
  chooseEvents,
  deleteFinished,
  recordAttempts,
  selectDeliveries,
} from '../../src/engine/notifications/deliveries/store.ts'
import { listDue } from '../../src/engine/notifications/deliveries/lanes/store.ts'
import { remindOfAcks } from '../../src/engine/payments/reminders/remind-of-acks.ts'
import { findDueReminder } from '../../src/engine/payments/reminders/store.ts'
import { queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { insertDeliveries, listUnqueued } from '../../src/engine/notifications/deliveries/queueing/store.ts'
import { expirePayments } from '../../src/engine/payments/close-payments.ts'
import { findDuePayment } from '../../src/engine/payments/store.ts'
import { listDueSteps } from '../../src/engine/sandbox/store.ts'
import { playSimulatedSteps } from '../../src/engine/simulation/play-simulated-steps.ts'
import type { TestService } from '../support/service.ts'
import { runDeliveries } from './pass-time.ts'
import { shareNotified } from './share-notified.ts'

const { onEngines, onPostgres } = shareNotified()

/** The plan of a query as the service runs it. */
const planOf = async <P>(service: TestService, of: Query<P, unknown>, parameters: P): Promise<string> => {
  const explained = { ...of, name: `explain_${of.name}`, text: `explain ${of.text}`, decode: String }
  return (await service.context.query(explained, parameters)).join('\n')
}

// They run several times a second.
onEngines('jobs that find nothing begin no transaction', async (service) => {
  await runDeliveries(service)
  const asked: string[] = []
  const context: Context = {
    ...service.context,
    query: (query, parameters) => {
      asked.push(query.name)
      return service.context.query(query, parameters)
    },
    transaction: () => Promise.reject(new Error('a transaction began')),
  }
  const found = [await expirePayments(context), await playSimulatedSteps(context), await queueDeliveries(context)]
  assert.deepEqual([...found, await remindOfAcks(context)], [0, 0, 0, 0])
  const looks = ['find_due_payment', 'list_due_simulated_steps', 'list_merchants_to_queue', 'find_due_ack_reminder']
  assert.deepEqual(asked, looks)
})

onEngines('what is due is found by an index in its order', async (service) => {
  const now = service.clock.now
  assert.match(await planOf(service, findDuePayment, { now }), /limit.*\n.*index scan using payments_due/i)
  assert.match(await planOf(service, findDueReminder, { now }), /limit.*\n.*index scan using payments_to_remind/i)
  assert.match(
    await planOf(service, listDueSteps, { merchantId: null, now, limit: 200 }),
    /index scan (using|on) simulated_steps_due/i,
  )
})

onEngines('the deliveries of a payment are found by an index of their payment', async (service) => {
  const id = service.context.newId()
  const wanted = { merchantId: id, endpointId: id, status: null, paymentId: id, before: null, limit: 10 }
  assert.match(await planOf(service, selectDeliveries, wanted), /index scan.* (using|on) outbox_of_payment/i)
})

onEngines('what is old, and what happened since a time, is found by its time', async (service) => {
  const now = service.clock.now
  const id = service.context.newId()
  const times = { since: now - second, sinceId: leastIdAt(now - second), keptSince: now - day, now }
  const chosen = { merchantId: id, endpointId: id, kinds: null, until: null, delivered: false, limit: 10 }
  const bySpan = { ...chosen, ...times, paymentIds: null }
  assert.match(await planOf(service, chooseEvents, bySpan), /index (only )?scan using outbox_pkey/i)
  const byPayment = { ...chosen, keptSince: now - day, since: null, sinceId: null, paymentIds: [id] }
  assert.match(await planOf(service, chooseEvents, byPayment), /index scan (using|on) outbox_of_payment/i)
  assert.match(
    await planOf(service, deleteFinished, { before: now, limit: 10 }),
    /index scan using deliveries_finished/i,
  )
})

onEngines('events are queued along their positions, whatever the size of the outbox', async (service) => {
  assert.doesNotMatch(await planOf(service, listUnqueued, { limit: 2000 }), /Seq Scan/)
  const plan = await planOf(service, insertDeliveries, { rows: [], now: service.clock.now })
  assert.match(plan, /Index Scan using outbox_positions on outbox.*\n\s*Index Cond: \(.*merchant_id = .*position.* >= /)
  assert.doesNotMatch(plan, /Seq Scan on (?:outbox|payments)/)
})

const merchantId = '00000000-0000-7000-8000-000000000001'
const endpointId = '00000000-0000-7000-8000-000000000002'
const waiting = 3000

// Planned while there were none, as sessions of the service do.
onPostgres('what is due is found, and written, without reading all that waits for each', async (service) => {
  const session = new pg.Client({ connectionString: service.context.settings.databaseUrl })
  await session.connect()
  const explain = async (name: string, values: readonly (string | null)[]): Promise<string> => {
    const list = values.map((value) => (value === null ? 'null' : pg.escapeLiteral(value))).join(', ')
    const { rows } = await session.query<{ 'QUERY PLAN': string }>(`explain (analyze) execute ${name} (${list})`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
  const at = service.clock.now
  const list = listDue.encode({
    rows: [{ merchantId, endpointId, afterDueAt: 0, afterPosition: 0n, size: 200 }],
    now: at,
  })
  const written = recordAttempts.encode({
    rows: [
      {
        merchantId,
        endpointId,
        position: BigInt(waiting),
        attempts: 0,
        queuedAt: at,
        url: 'https://example.com',
        status: 'delivered',
        step: 0,
        dueAt: at,
        failedAt: null,
        notBefore: null,
        at,
        httpStatus: 200,
        error: null,
        latencyMs: 1,
        excerpt: '',
      },
    ],
    now: at,
  })
  try {
    // As every session of the service.
    await session.query(`set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off;
      set session_replication_role = replica; set timezone = 'UTC'; analyze deliveries;
      prepare list as ${listDue.text}; prepare record as ${recordAttempts.text}`)
    await explain('list', list)
    await explain('record', written)
    await session.query(
      `insert into notification_endpoints (merchant_id, id, url, description, kinds, secret_sealed, status, queued_after, created_at)
        values ($1, $2, 'https://example.com', '', '[]', '', 'enabled', 0, now())`,
      [merchantId, endpointId],
    )
    await session.query(
      `insert into deliveries (merchant_id, endpoint_id, position, payment_id, status, attempts, step, due_at, queued_at)
        select $1, $2, position, md5((position / 2)::text)::uuid, 'pending', 0, 0, to_timestamp($3), to_timestamp($3)
        from generate_series(1, $4::bigint) as position`,
      [merchantId, endpointId, at / 1000, waiting],
    )
    for (const plan of [await explain('list', list), await explain('record', written)]) {
      const passed = [...plan.matchAll(/Rows Removed by [\w ]+: (\d+)/g)].map(([, rows]) => Number(rows))
      assert.ok(Math.max(0, ...passed) <= 1, plan)
    }
    assert.match(await explain('list', list), /deliveries_due[\s\S]+outbox_of_payment[\s\S]+deliveries_pkey/)
    const again = await explain('record', written)
    assert.doesNotMatch(again, /deliveries_due/)
  } finally {
    await session.query('delete from delivery_attempts; delete from deliveries; delete from notification_endpoints')
    await session.end()
  }
})

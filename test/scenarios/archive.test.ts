// The history of finished payments moves to files, from which it is verified and read again.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { archiveHistory } from '../../src/archive/archive-history.ts'
import { verifyFile } from '../../src/archive/read.ts'
import type { Context } from '../../src/context.ts'
import { bigint, query } from '../../src/database/query.ts'
import { day, hour, minute } from '../../src/domain/time.ts'
import { checkChanges } from '../../src/invariants/check-changes.ts'
import { measureWaiting } from '../../src/jobs/measure-waiting.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import {
  assertHealthy,
  type Engine,
  engines,
  openTestService,
  type TestService,
  usualEngine,
} from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

const withArchive = async (
  engine: Engine,
  run: (service: TestService, folder: string) => Promise<void>,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'payin-archive-'))
  const environment = { PAYIN_FILE_STORAGE: pathToFileURL(folder).href, PAYIN_ARCHIVE_AFTER_DAYS: '90' }
  const service = await openTestService(engine, environment)
  try {
    await run(service, folder)
    assert.deepEqual(await broken(service.context), [])
    await assertHealthy(service)
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
}

const broken = async (context: Context, full = false): Promise<string[]> =>
  (await checkChanges(context, { full })).checks.filter((check) => check.broken > 0).map(({ name }) => name)

let kopecks = 0
/** Amounts of which none is on a requisite twice. */
const nextAmount = (): number => (500_000 + 13 * kopecks++) / 100

const pay = async (service: TestService, shop: Shop, orderId: string, isAcknowledged = true): Promise<string> => {
  const amount = nextAmount()
  const { status, body } = await shop.create(orderId, { amount })
  assert.equal(status, 201, JSON.stringify(body))
  await payIn(service, { requisiteId: body.card.id, minor: BigInt(Math.round(amount * 100)) })
  if (isAcknowledged) assert.equal((await shop.post('/payments/byOrderId/ack', { orderId })).status, 200)
  await service.runJobs()
  return body.payment.id
}

/** Lets days go by, and everything of them be verified. */
const pass = async (service: TestService, ms: number): Promise<void> => {
  service.clock.advance(ms)
  await service.runJobs('all')
  assert.deepEqual(await broken(service.context), [])
}

const archiveAll = async (context: Context): Promise<void> => {
  while ((await archiveHistory(context)) > 0);
}

const countKept = query('test_count_kept', {
  row: { events: bigint, notifications: bigint, acknowledgements: bigint, archived: bigint },
  text: `select (select count(*) from payment_events) as events, (select count(*) from outbox) as notifications,
    (select count(*) from payment_acknowledgements) as acknowledgements, (select count(*) from archived_payments) as archived`,
})
const kept = async (context: Context): Promise<number[]> => {
  const [row] = await context.query(countKept, {})
  return [row?.events, row?.notifications, row?.acknowledgements, row?.archived].map(Number)
}

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(join(folder, 'archive')).toSorted()
  } catch {
    return []
  }
}

for (const engine of engines) {
  const skip = engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false

  test(`finished payments are archived, and answer as before [${engine}]`, { skip }, () =>
    withArchive(engine, async (service, folder) => {
      const shop = await openShop(service)
      const operator = openOperator(service)
      const paidId = await pay(service, shop, 'paid')
      await pay(service, shop, 'unread', false)
      for (const orderId of ['canceled', 'expired', 'disputed'])
        assert.equal((await shop.create(orderId, { amount: nextAmount() })).status, 201)
      await shop.post('/payments/byOrderId/cancel', { orderId: 'canceled' })
      await pass(service, 2 * hour)
      assert.equal((await shop.post('/payments/byOrderId/disputed/dispute', { amount: 5000 })).status, 201)
      await pass(service, 60 * day)
      await pay(service, shop, 'young')
      const orders = ['paid', 'unread', 'canceled', 'expired', 'disputed', 'young']
      const read = () =>
        Promise.all(
          [
            '/payments?limit=100',
            ...orders.flatMap((each) => ['', '/status', '/timeline'].map((end) => `/payments/byOrderId/${each}${end}`)),
          ].map(async (path) => (await shop.get(path)).body),
        )
      const [before, feed] = [await read(), await shop.get('/events')]
      const timeline = await operator.get(`/payments/${shop.merchantId}/${paidId}`)
      const all = await kept(service.context)
      await pass(service, 35 * day)
      await archiveAll(service.context)
      const [file = '', ...others] = filesIn(folder)
      assert.deepEqual(others, [])
      const changes = (await kept(service.context)).map((count, index) => count - (all[index] ?? 0))
      assert.deepEqual(changes, [-6, -3, -1, 3], 'events, notifications, acknowledgements; payments')
      assert.deepEqual(await read(), before)
      const { archived, ...rest } = (await operator.get(`/payments/${shop.merchantId}/${paidId}`)).body
      assert.deepEqual(rest, timeline.body)
      assert.equal(archived.name, `main/archive/${file}`)

      const lines = gunzipSync(readFileSync(join(folder, archived.name)))
        .toString()
        .trim()
        .split('\n')
      assert.equal(JSON.parse(lines[0] ?? '').payments, 3)
      const { body: status } = await operator.get('/archive')
      assert.deepEqual(
        [status.files, status.payments, status.events, status.notifications, status.acknowledgements],
        [1, 3, 6, 3, 1],
      )
      assert.equal(status.lagging, false)
      const { body: history } = await operator.get(`/archive/payments/${shop.merchantId}/${paidId}`)
      assert.deepEqual(
        [
          history.orderId,
          history.events.length,
          history.notifications.map(({ body }: { body: string }) => JSON.parse(body).type),
        ],
        ['paid', 2, ['payment.paid']],
      )

      const gone = await shop.get('/events?after=0')
      assertProblem(gone, 410, 'events_archived')
      const { body: later } = await shop.get('/events')
      assert.deepEqual((await shop.get(`/events?after=${gone.body.cursor}`)).body, later)
      assert.deepEqual(later.events, feed.body.events.slice(Number(gone.body.cursor)))
      assert.ok(later.events.length > 0)

      // A finished payment can begin again.
      assert.equal((await shop.post('/payments/byOrderId/ack', { orderId: 'paid' })).body.status, 'paid')
      assert.equal((await shop.post('/payments/byOrderId/ack', { orderId: 'unread' })).status, 200)
      assert.equal((await shop.create('paid', { amount: timeline.body.amount })).status, 200)
      assert.equal((await shop.create('paid', { amount: 6000 })).status, 409)
      const { body: dispute } = await shop.post('/payments/byOrderId/expired/dispute', { amount: 5000 })
      const anna = openOperator(service, 'anna')
      const rejected = await anna.call('POST', `/disputes/${shop.merchantId}/${dispute.id}/decision`, {
        decision: 'reject',
        note: 'seen',
      })
      assert.equal(rejected.status, 200, JSON.stringify(rejected.body))
      assert.deepEqual(
        (await shop.get('/payments/byOrderId/expired/timeline')).body.events.map(
          (each: { status: string }) => each.status,
        ),
        ['new', 'expired', 'disput', 'expired'],
      )
      for (const days of [100, 8]) {
        await pass(service, days * day)
        await archiveAll(service.context)
      }
      assert.equal((await operator.get('/archive')).body.payments, 5, 'the later ones: what was disputed stays')
      for (const number of [1, 2, 3])
        assert.deepEqual((await operator.get(`/archive/files/${number}/verification`)).body, { number, files: 3 })
      assert.deepEqual(await broken(service.context, true), [])
    }),
  )
}

test('a credit that its merchant never acknowledges stays, and keeps no others from the archive', () =>
  withArchive(usualEngine(), async (service) => {
    const shop = await openShop(service)
    await pay(service, shop, 'unread', false)
    await pay(service, shop, 'read')
    // In the last round its reminders are over, and as old as the archive wants.
    for (const days of [2, 100, 8]) {
      await pass(service, days * day)
      await archiveAll(service.context)
    }
    const { payments } = (await openOperator(service).get('/archive')).body
    assert.equal(payments, 1)
    assert.equal((await shop.post('/payments/byOrderId/ack', { orderId: 'unread' })).status, 200)
  }))

test('a round that ends at any step loses nothing, and the next one finishes it', () =>
  withArchive(usualEngine(), async (service, folder) => {
    const { context } = service
    const shop = await openShop(service)
    const ids = [await pay(service, shop, 'one'), await pay(service, shop, 'two')]
    await pass(service, 95 * day)
    const all = await kept(context)
    const files = context.files
    assert.ok(files)
    const end = new Error('killed')
    const die = () => Promise.reject(end)
    const stops: Partial<Context>[] = [
      { files: { ...files, put: die } },
      {
        files: {
          ...files,
          put: async (name, content) => {
            await files.put(name, content)
            throw end
          },
        },
      },
      { files: { ...files, get: die } },
      { files: { ...files, get: async () => Buffer.from('another content') } },
      { transaction: die },
      {
        transaction: (work) =>
          context.transaction(async (tx) => {
            await work(tx)
            throw end
          }),
      },
      // Killed: nobody gives the lease back.
      {
        transaction: die,
        query: async (asked, parameters) => (asked.name === 'release_archive' ? [] : context.query(asked, parameters)),
      },
    ]
    for (const stop of stops) {
      await archiveHistory({ ...context, ...stop }).catch((error: unknown) => assert.equal(error, end))
      assert.deepEqual(await kept(context), all)
      assert.deepEqual(await broken(context, true), [])
    }
    assert.equal(await archiveHistory(context), 0, 'the process that was killed may still be at it')
    service.clock.advance(11 * minute)
    // One of them changes between the reading and the deleting.
    const cancelled = {
      ...files,
      put: async (name: string, content: Uint8Array) => {
        await files.put(name, content)
        assert.equal((await shop.post('/payments/byOrderId/one/dispute', { amount: 5000 })).status, 409)
        await context.query(touch, {})
      },
    }
    assert.equal(await archiveHistory({ ...context, files: cancelled }), 0)
    assert.deepEqual(await kept(context), all)
    await context.query(untouch, {})
    await archiveAll(context)
    assert.deepEqual((await kept(context))[3], ids.length)
    const { body } = await openOperator(service).get('/doctor?full=true')
    assert.equal(body.healthy, true, JSON.stringify(body.checks))
    assert.ok(filesIn(folder).length > 1, 'files of rounds that ended')
    assert.match(body.notes.join(), /not recorded/)
  }))

const touch = query('test_touch', { text: `update payment_events set actor = actor || '!' where sequence = 2` })
const untouch = query('test_untouch', {
  text: `update payment_events set actor = rtrim(actor, '!') where sequence = 2`,
})

test('the metrics say how far the archive lags, also while it has never come to an end', () =>
  withArchive(usualEngine(), async (service) => {
    const { context } = service
    const shop = await openShop(service)
    await pay(service, shop, 'first')
    const read = async (name: string): Promise<number | undefined> => {
      const end = measureWaiting(context)
      const text = await context.meter.render()
      end()
      const value = new RegExp(`^payin_archive_${name} (.*)$`, 'm').exec(text)?.[1]
      return value === undefined ? undefined : Number(value)
    }
    assert.equal(await read('lag_seconds'), 0)
    await pass(service, 95 * day)
    const files = context.files
    assert.ok(files)
    const full = { ...context, files: { ...files, put: () => Promise.reject(new Error('no space left')) } }
    for (let days = 0; days < 9; days += 1) {
      await assert.rejects(archiveHistory(full), /no space left/)
      service.clock.advance(day)
    }
    assert.equal(await read('lag_seconds'), (9 * day) / 1000)
    assert.equal(await read('last_file_timestamp_seconds'), undefined)
    await archiveAll(context)
    assert.ok(((await read('lag_seconds')) ?? Infinity) <= day / 1000)
    assert.equal(await read('payments'), 1)
    assert.equal(await read('last_file_timestamp_seconds'), service.clock.now / 1000)
    await pass(service, hour)
  }))

test('a commit whose answer is lost keeps its file', () =>
  withArchive(usualEngine(), async (service, folder) => {
    const shop = await openShop(service)
    await pay(service, shop, 'first')
    await pass(service, 100 * day)
    const { context } = service
    const transaction: Context['transaction'] = async (run) => {
      await context.transaction(run)
      return context.transaction(run)
    }
    await archiveHistory({ ...context, transaction })
    assert.equal(filesIn(folder).length, 1)
    assert.equal((await kept(context))[3], 1)
  }))

test('what was changed or removed in the archive is found', () =>
  withArchive(usualEngine(), async (service, folder) => {
    const shop = await openShop(service)
    const operator = openOperator(service)
    const id = await pay(service, shop, 'first')
    await pass(service, 95 * day)
    await archiveAll(service.context)
    const path = join(folder, 'main', 'archive', filesIn(folder)[0] ?? '')
    const content = readFileSync(path)
    const verify = async (number: number) => (await operator.get(`/archive/files/${number}/verification`)).body.problem
    assert.equal(await verify(1), undefined)
    const wrong = Buffer.from(content)
    wrong.writeUInt8(content.readUInt8(40) ^ 1, 40)
    writeFileSync(path, wrong)
    assert.match(await verify(1), /hash/)
    assertProblem(await shop.get('/payments/byOrderId/first/timeline'), 503, 'database_unavailable')
    const { body } = await operator.get(`/payments/${shop.merchantId}/${id}`)
    assert.deepEqual([body.events, body.archived.problem], [[], 'its hash differs'])
    assert.match(await service.context.meter.render(), /^payin_archive_failures_total 2$/m)
    rmSync(path)
    assert.match(await verify(1), /not in the storage/)
    const { body: diagnosis } = await operator.get('/doctor')
    assert.equal(diagnosis.healthy, false)
    assert.equal(diagnosis.checks.find(({ name }: { name: string }) => name === 'archive-files-stored').broken, 1)
    writeFileSync(path, content)
    assert.equal(await verify(1), undefined)
    const { files } = service.context
    assert.ok(files)
    const outOfReach = { ...files, get: () => Promise.reject(new Error('no route')) }
    assert.match((await verifyFile({ ...service.context, files: outOfReach }, 1)) ?? '', /out of reach/)
    assertProblem(await operator.get('/archive/files/2/verification'), 404, 'resource_not_found')
    assertProblem(
      await operator.get(`/archive/payments/${shop.merchantId}/${shop.merchantId}`),
      404,
      'resource_not_found',
    )
  }))

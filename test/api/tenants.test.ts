// Several tenants on one service: each has what a Payin has, and nothing crosses but the directory.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../src/context.ts'
import { bigint, query } from '../../src/database/query.ts'
import { jobs } from '../../src/jobs/jobs.ts'
import { startTenantJobs, TenantPace, Turns } from '../../src/jobs/tenant-jobs.ts'
import { addRequisites } from '../../src/requisites/add-requisites.ts'
import { openOperator, type Operator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openFeed } from '../support/push.ts'
import { runPayin } from '../support/run-payin.ts'
import {
  actingJobs,
  assertHealthy,
  engines,
  onOneEngine,
  openTestService,
  type TestService,
} from '../support/service.ts'
import { runSql, runSqlAt } from '../support/run-sql.ts'
import { clonePostgres } from '../support/templates.ts'
import { sendForm } from '../support/page-states.ts'
import { newNumber, openShop, payIn, send } from '../support/shop.ts'

/** The service as one of its tenants sees it. */
const inTenant = async (service: TestService, tenant: string): Promise<TestService & { tenant: string }> => {
  const context = await service.tenants.find(tenant)
  assert.ok(context, `no tenant ${tenant}`)
  return { ...service, context, tenant }
}

const create = async (operator: Operator, name: string): Promise<void> => {
  const { status, body } = await operator.call('POST', '/tenants', { name })
  assert.equal(status, 201, JSON.stringify(body))
}

const runJobsOf = async (context: Context, main: Context): Promise<void> => {
  for (const job of actingJobs) while ((await job.run(context, main)) > 0);
}

const requisite = (number: string) => ({
  ...({ merchantId: null, mode: 'live', method: 'sbp', currency: 'rub', transferScope: null } as const),
  ...{ bankIssuer: 'bank-a', holder: 'Ivan Petrov', number, limits: {} },
})

const countTenants = query('test_count_directory', {
  row: { entries: bigint },
  text: `select count(*) as entries from payin_directory.entries where kind <> 'number'`,
})

for (const engine of engines) {
  const skip = engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false

  test(`two tenants work next to each other, and neither sees the other [${engine}]`, { skip }, async () => {
    const service = await openTestService(engine)
    try {
      const operator = openOperator(service)
      const shop = await openShop(service)
      assert.ok(service.tenants.isOne())
      const before = newNumber('sbp')
      await service.context.transaction((tx) => addRequisites(tx, [requisite(before)]))
      await create(operator, 'acme')
      assertProblem(await operator.call('POST', '/tenants', { name: 'acme' }), 409, 'already_exists')
      assertProblem(await operator.call('POST', '/tenants', { name: 'main' }), 409, 'already_exists')
      assertProblem(await operator.call('POST', '/tenants', { name: 'Acme; drop' }), 400, 'validation_failed')
      assert.equal((await operator.lastAudit()).subject, 'tenant:acme')

      const acme = await inTenant(service, 'acme')
      const own = openOperator(acme)
      const other = await openShop(acme, { name: 'Acme Shop' })
      // The same order in both, by tokens alone.
      const [first, second] = await Promise.all([shop.create('order-1'), other.create('order-1')])
      assert.equal(first.status, 201)
      assert.equal(second.status, 201, JSON.stringify(second.body))
      assert.notEqual(first.body.payment.id, second.body.payment.id)
      const page = await send(service, new URL(second.body.payment.redirectUrl ?? second.body.redirectUrl).pathname)
      assert.equal(page.status, 200)
      assert.match(page.body, /Acme Shop/)
      const link = await other.post('/links', { title: 'Course', amount: 1000, currency: 'rub', method: 'sbp' })
      assert.equal(link.status, 201, JSON.stringify(link.body))
      const linkPage = await send(service, new URL(link.body.url).pathname)
      assert.match(linkPage.body, /Acme Shop[^]*Course/)
      const visit = /name="visit" value="([^"]+)"/.exec(linkPage.body)?.[1] ?? ''
      const started = await sendForm(service, new URL(link.body.url).pathname, { visit })
      assert.equal(started.status, 303, String(started.body))

      const feed = await openFeed(acme, 'bank', other.requisiteIds)
      const { body: paid } = await other.create('order-2')
      const pushed = await feed([
        {
          ...{ requisiteId: paid.card.id, amount: 5000, currency: 'rub', bankReference: 'r-1' },
          bookedAt: new Date(service.clock.now).toISOString(),
        },
      ])
      assert.equal(pushed.status, 200, JSON.stringify(pushed.body))
      assert.equal(await other.status('order-2'), 'paid')
      assertProblem(await shop.get('/payments/byOrderId/order-2'), 404, 'payment_not_found')

      // Operators see what is the tenant's.
      const names = async (each: Operator) =>
        (await each.get('/merchants')).body.merchants.map(({ name }: { name: string }) => name)
      assert.deepEqual(await names(operator), ['Test Shop'])
      assert.deepEqual(await names(own), ['Acme Shop'])
      assert.deepEqual((await operator.get('/tenants')).body.tenants, [
        { name: 'main', merchants: 1, server: 'main', state: 'active', role: 'owner' },
        { name: 'acme', merchants: 1, server: 'main', state: 'active', role: 'owner' },
      ])
      const place = { environment: { PAYIN_URL: service.url, PAYIN_OPERATOR_TOKEN: service.operatorToken } }
      const listed = await runPayin(['tenants', 'list'], place)
      assert.match(listed.out, /main +1 +main +active +owner\n.*acme +1 +main +active +owner/, listed.error)
      assert.match((await runPayin(['--tenant', 'acme', 'merchants', 'list'], place)).out, /Acme Shop/)
      // What to type next is for the same tenant.
      const none = await runPayin(['--tenant', 'acme', 'merchants', 'show', 'Nobody'], place)
      assert.match(none.error, /payin --tenant acme merchants list shows what there is\.$/m)
      const made = await runPayin(['merchants', 'create', '--tenant', 'acme', '--name', 'B', '--mode', 'live'], place)
      assert.match(made.out, /payin --tenant acme tokens issue "?B"? /, made.error)
      assertProblem(await openOperator({ ...service, tenant: 'nobody' }).get('/merchants'), 403, 'role_missing')
      assertProblem(
        await send(service, '/api/v1/merchant/me', { headers: { authorization: `Bearer ${shop.token}x` } }),
        401,
        'token_invalid',
      )

      // A number belongs to one tenant, whichever had it first.
      const late = newNumber('sbp')
      await acme.context.transaction((tx) => addRequisites(tx, [requisite(late)]))
      const refused = { code: 'already_exists', message: /belongs to another tenant/ }
      await assert.rejects(
        acme.context.transaction((tx) => addRequisites(tx, [requisite(before)])),
        refused,
      )
      await assert.rejects(
        service.context.transaction((tx) => addRequisites(tx, [requisite(late)])),
        refused,
      )

      assert.equal((await payIn(service, { requisiteId: first.body.card.id, minor: 5000_00n })).outcome, 'exact')
      assert.equal(await shop.status('order-1'), 'paid')
      await runJobsOf(service.context, service.context)
      await runJobsOf(acme.context, service.context)
      await assertHealthy(service)
      await assertHealthy(acme)
      const [counted] = await service.context.query(countTenants, {})
      assert.equal(counted?.entries, 5n, 'a token, two merchants, a link and a feed of acme; nothing of main')

      await service.restart()
      assert.deepEqual(service.migrated, [])
      const asked = await send(service, '/api/v1/merchant/payments/byOrderId/order-2/status', {
        headers: { authorization: `Bearer ${other.token}` },
      })
      assert.equal(asked.body.status, 'paid')
      assert.equal(await shop.status('order-1'), 'paid')
    } finally {
      await service.stop()
    }
  })
}

onOneEngine(
  'a retired tenant is refused to all but operators who read; its numbers may be had by others',
  async (service) => {
    const operator = openOperator(service)
    await openShop(service)
    await create(operator, 'acme')
    const acme = await inTenant(service, 'acme')
    const [shop, number] = [await openShop(acme, { name: 'Acme Shop' }), newNumber('sbp')]
    await acme.context.transaction((tx) => addRequisites(tx, [requisite(number)]))
    const { body: created } = await shop.create('order-1')
    const retire = (body: object) => operator.call('POST', '/tenants/acme/retire', body)
    assertProblem(await retire({ confirm: 'acne' }), 400, 'validation_failed')
    assertProblem(await operator.call('POST', '/tenants/main/retire', { confirm: 'main' }), 404, 'resource_not_found')
    const open = await retire({ confirm: 'acme' })
    assertProblem(open, 409, 'invalid_state')
    assert.match(open.body.detail, /^1 payment is open/)
    const retired = await retire({ confirm: 'acme', evenIfOpen: true, freeNumbers: true })
    assert.deepEqual([retired.status, retired.body.state], [200, 'retired'], JSON.stringify(retired.body))

    assertProblem(await shop.get('/payments/byOrderId/order-1'), 403, 'merchant_suspended')
    const page = await send(service, new URL(created.redirectUrl ?? created.payment.redirectUrl).pathname)
    assert.equal(page.status, 404)
    const own = openOperator(acme)
    assert.equal((await own.get('/merchants')).body.merchants[0].name, 'Acme Shop')
    const refused = await own.call('POST', '/merchants', { name: 'Another', mode: 'live' })
    assertProblem(refused, 403, 'tenant_retired')
    assert.deepEqual(
      (await service.tenants.list()).map(({ tenant }) => tenant),
      ['main'],
    )
    await service.context.transaction((tx) => addRequisites(tx, [requisite(number)]))
    // Nothing is recorded in a retired tenant, so that nobody has to do anything about it.
    assert.equal((await own.get('/doctor')).body.notes, undefined)
  },
)

test('tenants work on another server, whose numbers are claimed where the directory is', {
  skip: process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine',
}, async () => {
  const other = await clonePostgres(process.env['TEST_DATABASE_URL'] ?? '')
  const service = await openTestService('postgres', { PAYIN_TENANT_SERVERS: `b=${other.url}` })
  try {
    const operator = openOperator(service)
    await openShop(service)
    assertProblem(await operator.call('POST', '/tenants', { name: 'acme', server: 'c' }), 404, 'resource_not_found')
    const { status, body } = await operator.call('POST', '/tenants', { name: 'acme', server: 'b' })
    assert.equal(status, 201, JSON.stringify(body))
    await create(operator, 'globex')
    const acme = await inTenant(service, 'acme')
    const shop = await openShop(acme, { name: 'Acme Shop' })
    const { body: created } = await shop.create('order-1')
    assert.equal((await payIn(acme, { requisiteId: created.card.id, minor: 5000_00n })).outcome, 'exact')
    assert.equal(await shop.status('order-1'), 'paid')

    // A transaction that fails leaves the claim, which does no harm to its tenant.
    const number = newNumber('sbp')
    const failed = acme.context.transaction(async (tx) => {
      await addRequisites(tx, [requisite(number)])
      throw new Error('the end')
    })
    await assert.rejects(failed, /the end/)
    await acme.context.transaction((tx) => addRequisites(tx, [requisite(number)]))
    await assert.rejects(
      service.context.transaction((tx) => addRequisites(tx, [requisite(number)])),
      { code: 'already_exists', message: /belongs to another tenant/ },
    )
    await runJobsOf(acme.context, service.context)
    await assertHealthy(acme)
    assert.deepEqual(await runSqlAt(other.url, 'select count(*) from tenant_acme.payments'), [{ count: '1' }])

    await service.restart()
    const seen = await send(service, '/api/v1/merchant/payments/byOrderId/order-1/status', {
      headers: { authorization: `Bearer ${shop.token}` },
    })
    assert.equal(seen.body.status, 'paid')
  } finally {
    await service.stop()
    await other.drop()
  }
})

test('a process starts while a server of tenants is out of reach; its tenants are refused, the others served', {
  skip: process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine',
}, async () => {
  const other = await clonePostgres(process.env['TEST_DATABASE_URL'] ?? '')
  const service = await openTestService('postgres', { PAYIN_TENANT_SERVERS: `b=${other.url}` })
  const databaseUrl = service.context.settings.databaseUrl ?? ''
  try {
    await openOperator(service).call('POST', '/tenants', { name: 'acme', server: 'b' })
    await create(openOperator(service), 'globex')
    const acme = await openShop(await inTenant(service, 'acme'))
    const globex = await openShop(await inTenant(service, 'globex'))
    for (const servers of [{ PAYIN_TENANT_SERVERS: 'b=postgres://127.0.0.1:1/payin' }, {}]) {
      const node = await openTestService('postgres', { DATABASE_URL: databaseUrl, ...servers })
      try {
        const ask = ({ token }: { token: string }) =>
          send(node, '/api/v1/merchant/me', { headers: { authorization: `Bearer ${token}` } })
        assert.equal((await ask(globex)).status, 200)
        assertProblem(await ask(acme), 503, 'database_unavailable')
        assert.deepEqual(
          (await node.tenants.list()).map(({ tenant }) => tenant),
          ['main', 'globex'],
        )
      } finally {
        await node.stop()
      }
    }
  } finally {
    await service.stop()
    await other.drop()
  }
})

test('a tenant is put back to a backup without the others; where that fails, it works as before', {
  skip: process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine',
}, async () => {
  const service = await openTestService('postgres')
  const folder = mkdtempSync(join(tmpdir(), 'payin-backup-'))
  const environment = { DATABASE_URL: service.context.settings.databaseUrl ?? '', PATH: process.env['PATH'] ?? '' }
  const payin = (...words: string[]) => runPayin(['tenants', ...words], { environment, folder })
  try {
    await create(openOperator(service), 'acme')
    const acme = await inTenant(service, 'acme')
    const [shop, other] = [await openShop(service), await openShop(acme)]
    const [kept, late] = [newNumber('sbp'), newNumber('sbp')]
    await acme.context.transaction((tx) => addRequisites(tx, [requisite(kept)]))
    assert.equal((await other.create('before')).status, 201)
    const backedUp = await payin('backup', 'acme', '--file', 'acme.dump')
    assert.match(backedUp.out, /is in acme\.dump/, backedUp.error)
    assert.match((await payin('backup', 'acme', '--file', 'acme.dump')).error, /already exists/)
    assert.equal((await other.create('after')).status, 201)
    assert.equal((await shop.create('elsewhere')).status, 201)
    await acme.context.transaction((tx) => addRequisites(tx, [requisite(late)]))

    writeFileSync(join(folder, 'half.dump'), readFileSync(join(folder, 'acme.dump')).subarray(0, 60_000))
    const half = await payin('restore', 'acme', '--file', 'half.dump')
    assert.deepEqual([half.code, /pg_restore/.test(half.error)], [1, true], half.error)
    assert.equal(await other.status('after'), 'new')
    await create(openOperator(service), 'globex')
    assert.match((await payin('restore', 'globex', '--file', 'acme.dump')).error, /is of acme, not of globex/)

    const restored = await payin('restore', 'acme', '--file', 'acme.dump')
    assert.match(restored.out, /is restored\. Its former state is kept in the schema replaced_acme_/, restored.error)
    service.clock.advance(2000)
    assert.equal(await other.status('before'), 'new')
    assertProblem(await other.get('/payments/byOrderId/after'), 404, 'payment_not_found')
    assert.equal(await shop.status('elsewhere'), 'new')
    assert.equal((await other.create('after')).status, 201)
    // The directory has what the backup has.
    await service.context.transaction((tx) => addRequisites(tx, [requisite(late)]))
    await assert.rejects(
      service.context.transaction((tx) => addRequisites(tx, [requisite(kept)])),
      { code: 'already_exists' },
    )
    await assertHealthy(acme)
    assert.match((await payin('drop-copy', 'acme')).out, /^Removed replaced_acme_/)

    // It comes back after all of it was removed, too.
    await runSql(
      service,
      `drop schema tenant_acme cascade; delete from payin_directory.tenants where name = 'acme';
      delete from payin_directory.entries where tenant = 'acme'; update catalog_versions set version = version + 1`,
    )
    const again = await payin('restore', 'acme', '--file', 'acme.dump')
    assert.match(again.out, /^Tenant acme is restored\.$/m, again.error)
    service.clock.advance(2000)
    assert.equal(await other.status('before'), 'new')
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
})

test('rounds of one job run for four tenants at once, the others in turn; those that wait for receivers run for all', async () => {
  const turns = new Turns()
  let now = 0
  const heard = new Set<() => void>()
  const changes = { watch: (listener: () => void) => heard.add(listener) }
  const open = () => new TenantPace({ ticks: () => now, changes } as unknown as Context, turns)
  const paces = Array.from({ length: 10 }, open)
  const ends = Promise.withResolvers<number>()
  let begun = 0
  const round = () => {
    begun++
    return ends.promise
  }
  const [usual, patient] = [jobs.find((job) => !job.isPatient), jobs.find((job) => job.isPatient)]
  assert.ok(usual && patient)
  const imports = paces.map((pace) => pace.run(usual, round))
  await sleep(0)
  assert.equal(begun, 4)
  const deliveries = paces.map((pace) => pace.run(patient, round))
  await sleep(0)
  assert.equal(begun, 14)
  ends.resolve(0)
  await Promise.all([...imports, ...deliveries])
  assert.equal(begun, 20)

  const [first] = paces as [TenantPace]
  let hurries = 0
  first.onHurry(() => hurries++)
  assert.equal(first.pauseOf(500), 625, 'ten are busy, and eight may be at full pace')
  now += 61_000
  assert.equal(first.pauseOf(500), 10_000)
  assert.equal(first.pauseOf(600_000), 600_000)
  for (const listener of heard) listener()
  assert.deepEqual([first.pauseOf(500), hurries], [625, 1])
})

test('the first tenants may be added at once, by any process', {
  skip: process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine',
}, async (t) => {
  const service = await openTestService('postgres')
  t.after(() => service.stop())
  const node = await openTestService('postgres', { DATABASE_URL: service.context.settings.databaseUrl ?? '' })
  t.after(() => node.stop())
  const operators = [service, node, service, node].map((each) => openOperator(each))
  const added = await Promise.all(
    operators.map((operator, index) => operator.call('POST', '/tenants', { name: `first${index}` })),
  )
  assert.deepEqual(
    added.map(({ status }) => status),
    [201, 201, 201, 201],
  )
})

test('another process serves a new tenant within a second, and its jobs run there', {
  skip: process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine',
}, async () => {
  const service = await openTestService('postgres')
  const node = await openTestService('postgres', { DATABASE_URL: service.context.settings.databaseUrl ?? '' })
  const stopJobs = startTenantJobs(node.tenants)
  try {
    await create(openOperator(service), 'acme')
    const acme = await inTenant(service, 'acme')
    const shop = await openShop(acme)
    assert.equal((await shop.create('order-1')).status, 201)
    for (let tries = 0; tries < 400 && node.tenants.isOne(); tries++) {
      node.clock.advance(1000)
      await sleep(50)
    }
    const there = { headers: { authorization: `Bearer ${shop.token}` } }
    const seen = await send(node, '/api/v1/merchant/payments/byOrderId/order-1/status', there)
    assert.equal(seen.body.status, 'new', JSON.stringify(seen.body))
    node.clock.advance(24 * 3_600_000)
    service.clock.advance(24 * 3_600_000)
    for (let tries = 0; tries < 200 && (await shop.status('order-1')) !== 'expired'; tries++) await sleep(100)
    assert.equal(await shop.status('order-1'), 'expired')
  } finally {
    await stopJobs()
    await node.stop()
    await service.stop()
  }
})

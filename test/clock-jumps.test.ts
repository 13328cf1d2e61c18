// The clock of the machine jumps while the service runs: nothing that time brings about happens by it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { instant, query, uuid } from 'payin-database'
import { day, hour, minute, second } from '../src/rules/time.ts'
import { checkChanges } from '../src/engine/invariants/check-changes.ts'
import { countHours } from '../src/engine/payments/hours/count-hours.ts'
import { codeOf, enrolMember, memberPassword, visit } from './support/console.ts'
import { openOperator } from './support/operator.ts'
import { assertHealthy, engines, onOneEngine, openTestService, skipsEngine, usualEngine } from './support/service.ts'
import { openShop, payIn } from './support/shop.ts'
import { until } from './support/waiting.ts'

const findCounted = query('test_counted_until', {
  row: { until: instant },
  text: 'select counted_until as until from payment_hours_progress',
})

const findDue = query('test_payment_due', {
  parameters: { id: uuid },
  row: { createdAt: instant },
  text: 'select created_at from payments where id = :id',
})

const jumpBy = (t: TestContext, ms: number) => {
  const now = Date.now
  return t.mock.method(Date, 'now', () => now() + ms)
}

for (const engine of engines) {
  test(`an open payment does not expire by a clock that jumps, and an alert reports it [${engine}]`, {
    skip: skipsEngine(engine),
  }, async (t) => {
    const environment = { PAYIN_ROLES: 'web,worker', PAYIN_ALERT_CHECK_MS: '100' }
    const service = await openTestService(engine, environment, { usesMachineClock: true })
    t.after(() => service.stop())
    const shop = await openShop(service)
    const operator = openOperator(service)
    const incidents = async () => {
      const { body } = await operator.get('/alerts?open=true&rule=clock-differs')
      return (body.incidents as { summary: string }[]).map(({ summary }) => summary)
    }
    await shop.create('before')
    const jump = jumpBy(t, 3 * day)
    const { body } = await shop.create('meanwhile', { amount: 7777 })
    const [row] = await service.context.query(findDue, { id: body.payment.id })
    assert.ok(Math.abs((row?.createdAt ?? 0) - (Date.now() - 3 * day)) < minute, 'it has the database’s time')
    await until('the alert', async () => (await incidents()).length > 0, 60_000)
    assert.match(
      (await incidents()).join(),
      /^Of the process .*, its clock is (?:3 d|2 d 23 h) .*ahead of the database's/,
    )
    assert.deepEqual([await shop.status('before'), await shop.status('meanwhile')], ['new', 'new'])
    const [counted] = await service.context.query(findCounted, {})
    assert.ok((counted?.until ?? Infinity) < Date.now() - 3 * day)
    jump.mock.restore()
    await until('the end of the alert', async () => (await incidents()).length === 0, 60_000)
    await shop.create('after', { amount: 8888 })
    await assertHealthy(service)
  })
}

onOneEngine(
  'after a clock was years ahead, hours are counted, transfers found and checks made as before',
  async (service) => {
    const shop = await openShop(service)
    const operator = openOperator(service)
    // Both payments are created in one hour.
    const now = hourOf(service.clock.now) + hour
    service.clock.now = now
    await shop.create('before')
    service.clock.now = now + 2 * 365 * day
    await service.runJobs('all')
    await checkChanges(service.context)
    service.clock.now = now + minute
    const created = await shop.create('after', { amount: 7777 })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    await payIn(service, { requisiteId: created.body.card.id, minor: 7777_00n })
    const summary = async (): Promise<number> => {
      const span = `from=${new Date(hourOf(now)).toISOString()}&to=${new Date(hourOf(now) + hour).toISOString()}`
      return (await operator.get(`/overview/payments?${span}`)).body.total.created
    }
    while ((await countHours(service.context)) > 0);
    assert.equal(await summary(), 2)
    service.clock.now = now + 5 * minute
    assert.equal((await checkChanges(service.context)).since, null, 'everything is read')
    assert.notEqual((await checkChanges(service.context)).since, null)
  },
)

const hourOf = (at: number): number => at - (at % hour)

test('while the clocks differ, no code of an authenticator signs in, and a recovery code does', async (t) => {
  const environment = { PUBLIC_URL: 'http://payin.test', PAYIN_TRUST_PROXY: '127.0.0.1' }
  const service = await openTestService(usualEngine(), environment, { usesMachineClock: true })
  t.after(() => service.stop())
  const member = await enrolMember(service, { role: 'owner' })
  const renewed = await member.call('/auth/two-factor/generate-backup-codes', { password: memberPassword })
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 10 * minute })
  const visitor = visit(service)
  await visitor.call('/auth/sign-in/email', { email: member.email, password: memberPassword })
  const refused = await visitor.call('/auth/two-factor/verify-totp', { code: codeOf(member.uri) })
  assert.deepEqual([refused.status, refused.body.code], [503, 'TIME_UNCERTAIN'])
  await visitor.call('/auth/two-factor/verify-backup-code', { code: renewed.body.backupCodes[0] })
  assert.equal((await visitor.operate('/me')).status, 200)
})

onOneEngine('what a clock that was days ahead has planned comes once it is right', async (service) => {
  const { clock } = service
  const operator = openOperator(service)
  const shop = await openShop(service, { mode: 'sandbox' })
  const simulate = async (orderId: string, body: Record<string, unknown>) => {
    assert.equal((await shop.create(orderId)).status, 201)
    await shop.simulate(orderId, body)
  }
  const later = async (ms: number) => {
    clock.advance(ms)
    await service.runJobs()
  }
  await simulate('disputed', { event: 'dispute-opened' })
  await later(second)
  const { id } = (await shop.get('/payments/byOrderId/disputed/dispute')).body
  const right = clock.now
  await later(5 * day)
  await simulate('played', { event: 'failed', delayMs: hour })
  await simulate('unread', { event: 'paid' })
  await later(second)
  await later(6 * minute)
  const found = async () => {
    const { history } = (await operator.get(`/disputes/${shop.merchantId}/${id}`)).body
    const { events } = (await shop.get('/events?limit=500')).body
    return [
      history.filter(({ kind }: { kind: string }) => kind === 'reminded').length,
      events.filter(({ type }: { type: string }) => type === 'payment.ack-overdue').length,
      await shop.status('played'),
    ]
  }
  assert.deepEqual(await found(), [1, 1, 'new'])
  clock.now = right + 10 * minute
  await later(minute)
  assert.deepEqual(await found(), [2, 2, 'failed'])
  await later(day)
  assert.deepEqual(await found(), [2, 3, 'failed'], 'the next reminder counts from now')
})

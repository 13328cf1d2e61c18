// Money that only phones have reported: what it is called, how much of it may credit, and when it is settled.
import assert from 'node:assert/strict'
import { day, hour } from '../../src/rules/time.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { messageChannel } from '../../src/rules/transfers/channel.ts'
import type { ReportedTransfer } from '../../src/rules/transfers/transfer.ts'
import { openBank } from '../support/bank.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator } from '../support/operator.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { assertProblem } from '../support/problem.ts'
import { runSql } from '../support/run-sql.ts'
import { assertHealthy, onPostgres, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { camtOf } from '../support/statement-files.ts'
import { until } from '../support/waiting.ts'

const { onEngines, onOne } = shareEngines()

/** A shop with one account and a phone, at nine in the morning of a new day; 5000 roubles give the merchant this much. */
const net = 53.513514

const openDay = async (service: TestService, terms: object = {}) => {
  const morning = Math.ceil((service.clock.now + 16 * hour) / day) * day + 9 * hour
  service.clock.advance(morning - service.clock.now)
  const bank = await openBank(service)
  const { operator, requisiteId, shop } = bank
  const { merchantId } = shop
  assert.equal((await operator.call('PATCH', `/merchants/${merchantId}/terms/sbp`, terms)).status, 200)
  const phone = await openPhone(service, [requisiteId])
  const destinationId = await openDestination(service, merchantId)
  let balance = 1000
  let drafts = 0
  const read = async (path: string) => (await operator.get(path)).body
  return {
    ...{ bank, phone, shop, operator, requisiteId, merchantId },
    overview: async () => {
      const { waiting } = await read('/overview')
      const unproven = waiting.find(({ kind }: { kind: string }) => kind === 'unproven')
      return unproven && [unproven.count, unproven.amounts]
    },
    create: async (orderId: string, amount = 5000) => {
      const { status, body } = await shop.create(orderId, { amount })
      assert.equal(status, 201, JSON.stringify(body))
    },
    /** An SMS about money that came in. */
    message: (amount = 5000) => phone.sms(creditOf(service, amount, (balance += amount))),
    evening: (...amounts: readonly number[]) =>
      bank.bringAgreed(
        camtOf,
        amounts.map((amount, index) => ({ minor: BigInt(amount) * 100n, reference: `EVENING-${index}-AB` })),
      ),
    draft: (fields: object = {}) =>
      operator.call('POST', '/settlements', { merchantId, reference: `draft ${++drafts}`, destinationId, ...fields }),
    /** What is shown as unproven in the list of transfers, and in the balance of the merchant. */
    shown: async () => {
      const { transfers } = await read(`/transfers?unproven=true&requisiteId=${requisiteId}`)
      const { balances } = await read(`/ledger/balances?merchantId=${merchantId}`)
      const available = balances.find(({ account }: { account: string }) => account.endsWith(':available'))
      return {
        transfers: transfers.map(({ amount, unproven }: { amount: number; unproven: boolean }) => [amount, unproven]),
        balance: available?.unproven,
      }
    },
  }
}

const nothing = { transfers: [], balance: undefined }

onEngines(
  'what a phone reports is unproven until a statement has it, and again once that is withdrawn',
  async (service) => {
    const { create, message, overview, shown, evening, bank } = await openDay(service)
    await create('by-feed', 4000)
    await bank.push('FEED-1', { amount: 4000 })
    assert.deepEqual(await shown(), nothing)
    await create('by-phone')
    await message()
    const unproven = { transfers: [[5000, true]], balance: '53.513514' }
    assert.deepEqual(await shown(), unproven)
    assert.deepEqual(await overview(), [1, [{ currency: 'rub', amount: '5000.00' }]])
    const { id } = await evening(4000, 5000)
    assert.deepEqual([await shown(), await overview()], [nothing, undefined])
    assert.deepEqual(await bank.inbox(), [])
    await service.runJobs()
    await assertHealthy(service)
    const withdrawn = await openOperator(service, 'boris').call('POST', `/statements/${id}/withdraw`, {
      reason: 'a test',
    })
    assert.equal(withdrawn.status, 200, JSON.stringify(withdrawn.body))
    await service.runJobs()
    assert.deepEqual(await shown(), unproven)
    await assertHealthy(service)
  },
)

onEngines(
  'a settlement of proven money takes what a phone has credited once the evening file has it',
  async (service) => {
    const { create, message, shop, evening, draft, bank } = await openDay(service, { payoutPolicy: 'proven' })
    await create('by-feed', 2500)
    await bank.push('FEED-1', { amount: 2500 })
    await create('by-phone')
    await message()
    const { available, waiting } = (await shop.get('/balance')).body
    assert.deepEqual([available, waiting], [80.270271, net])
    const refused = await draft({ amount: 30 })
    assertProblem(refused, 409, 'balance_insufficient')
    assert.match(refused.body.detail, /^53\.513514 USDT of .* cannot be settled yet: .* At most 26\.756757 USDT /)
    const first = await draft()
    assert.deepEqual([first.status, first.body.amount, first.body.unproven], [201, 26.756757, undefined])
    assertProblem(await draft(), 409, 'balance_insufficient')
    await evening(2500, 5000)
    const second = await draft()
    assert.deepEqual([second.status, second.body.amount], [201, net])
    const balance = (await shop.get('/balance')).body
    assert.deepEqual([balance.available, balance.waiting], [0, undefined])
    await service.runJobs()
    await assertHealthy(service)
  },
)

onEngines('a draft shows how much of it only phones have reported, until the evening file has it', async (service) => {
  const { create, message, evening, draft, bank, operator, merchantId } = await openDay(service)
  await create('by-feed', 2500)
  await bank.push('FEED-1', { amount: 2500 })
  await create('by-phone')
  await message()
  const small = await draft({ amount: 20 })
  assert.deepEqual([small.status, small.body.unproven], [201, undefined])
  const large = await draft()
  assert.deepEqual([large.body.amount, large.body.unproven], [60.270271, net])
  const own = `/settlements/${merchantId}/${large.body.id}`
  assert.equal((await operator.get(own)).body.unproven, net)
  assert.equal((await openOperator(service, 'boris').call('POST', `${own}/approve`)).body.unproven, net)
  await evening(2500, 5000)
  const { settlements } = (await operator.get(`/settlements?merchantId=${merchantId}`)).body
  assert.deepEqual(
    settlements.map((each: { unproven?: number }) => each.unproven),
    [undefined, undefined],
  )
})

onPostgres(
  'a settlement that is drafted while a message credits waits for it, and leaves its money',
  async (service) => {
    const { create, bank, draft, requisiteId } = await openDay(service, { payoutPolicy: 'proven' })
    await create('by-feed', 2500)
    await bank.push('FEED-1', { amount: 2500 })
    await create('by-phone')
    const report: ReportedTransfer = {
      ...{ requisiteId, currency: 'rub', amount: 5000_00n, bookedAt: service.clock.now, source: 'phone:test' },
      ...{ channel: messageChannel, bankReference: null, sender: null },
    }
    const [credited, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const crediting = service.context.transaction(async (tx) => {
      await recordTransfers(tx, [report])
      credited.resolve()
      await released.promise
    })
    await Promise.race([credited.promise, crediting])
    const drafting = draft()
    const locked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until('the draft waits', async () => (await runSql(service, locked)).length > 0).finally(released.resolve)
    await crediting
    assert.equal((await drafting).body.amount, 26.756757)
  },
)

onOne('what one operator alone reports as the same money proves nothing', async (service) => {
  const { create, message, shown, bank, operator, requisiteId } = await openDay(service)
  await create('by-phone')
  await message()
  const bookedAt = new Date(service.clock.now).toISOString()
  const typed = { requisiteId, amount: 5000, currency: 'rub', bookedAt, bankReference: 'TYPED-1' }
  assert.equal((await operator.call('POST', '/transfers', { transfers: [typed] })).status, 200)
  const [waiting] = await bank.inbox()
  assert.equal((await bank.decide(waiting?.id ?? '', 'ignore', { reason: 'a test' })).status, 200)
  assert.deepEqual((await shown()).transfers, [[5000, true]])
  // A file that one operator has uploaded and confirmed.
  const file = [{ minor: 5000_00n, reference: 'ALONE-1' }]
  const { id, reportedBy } = await bank.bring(camtOf, file)
  assert.equal(reportedBy, 'operator:operator')
  assert.deepEqual(await bank.inbox(), [])
  assert.deepEqual((await shown()).transfers, [[5000, true]])
  // The way to agree is the one that the refusal names.
  const boris = openOperator(service, 'boris')
  assertProblem(await boris.call('POST', `/statements/${id}/confirm`), 409, 'invalid_state')
  assert.equal((await operator.call('POST', `/statements/${id}/confirm`)).status, 200)
  assert.equal((await operator.call('POST', `/statements/${id}/withdraw`, { reason: 'to agree' })).status, 200)
  await service.runJobs()
  assert.equal((await bank.bringAgreed(camtOf, file)).reportedBy, undefined)
  assert.deepEqual((await shown()).transfers, [])
  await service.runJobs()
  await assertHealthy(service)
})

onOne('the share of a closing balance that only phones have reported is shown with it', async (service) => {
  const { create, message, operator, requisiteId, bank } = await openDay(service)
  await create('by-phone')
  await message()
  const closing = { balance: 0, currency: 'rub' }
  assert.equal(
    (await operator.call('PUT', `/requisites/${requisiteId}/closing-balances/${bank.date}`, closing)).status,
    200,
  )
  const { days } = (await operator.get(`/ledger/reconciliation?requisiteId=${requisiteId}`)).body
  assert.deepEqual([days[0].difference, days[0].unproven], [-5000, 5000])
  const whole = (await operator.get(`/ledger/reconciliation/${requisiteId}/${bank.date}`)).body
  assert.equal(whole.unproven, 5000)
})

onEngines('a requisite has a bound of its own, within that of the phone', async (service) => {
  const { create, message, shop, bank, phone, operator, requisiteId } = await openDay(service)
  await create('within')
  await create('beyond', 4500)
  await create('small', 3900)
  // 92.5 roubles are a USDT.
  const account = { requisiteId, digits: ['4071'], dailyLimit: 100 }
  const set = await operator.call('PUT', `/phones/${phone.id}/accounts`, account)
  assert.equal(set.body.accounts[0].dailyLimit, 100)
  const { version } = set.body.unapproved ?? {}
  if (version !== undefined)
    assert.equal(
      (await openOperator(service, 'boris').call('POST', `/phones/${phone.id}/approve`, { version })).status,
      200,
    )
  await message()
  await message(4500)
  await message(3900)
  const statuses = await Promise.all(['within', 'beyond', 'small'].map((each) => shop.status(each)))
  assert.deepEqual(statuses, ['paid', 'new', 'paid'])
  const [waiting] = await bank.inbox()
  assert.match(waiting?.reasons[0] ?? '', /which may report 100 USDT on this account within 24 hours/)
})

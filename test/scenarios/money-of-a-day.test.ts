// Banks that report the day of their money and no time: 1C and most tables.
import assert from 'node:assert/strict'
import { day, hour } from '../../src/rules/time.ts'
import { openOperator } from '../support/operator.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'
import { csvOf, exchangeOf, type Made, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()
const moscow = 3 * hour
let accounts = 0

/** A shop with one requisite a method whose account has statements by day. */
const openDayBank = async (service: TestService) => {
  // Noon in the zone of the accounts, so that the day has begun and lasts.
  service.clock.advance(day - ((service.clock.now + moscow) % day) + 12 * hour)
  const account = `407028105000000000${String(++accounts).padStart(2, '0')}`
  const shop = await openShop(service, { perMethod: 1, terms: { lateWindowMs: day } })
  const operator = openOperator(service)
  let requisiteId = ''
  return {
    shop,
    date: (ago = 0) => new Date(service.clock.now - ago + moscow).toISOString().slice(0, 10),
    create: async (orderId: string, amount: number) => {
      const { body } = await shop.create(orderId, { amount })
      requisiteId = body.card.id
      await operator.call('PUT', '/statement-accounts', {
        accounts: [{ number: account, requisiteIds: [requisiteId] }],
      })
    },
    bring: async (render: (made: Made) => string, rows: Made['rows']) => {
      const fields: Record<string, string> = render === exchangeOf ? {} : { requisiteId }
      const uploaded = await uploadFile(service, render({ account, rows }), fields)
      assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body))
      await operator.call('POST', `/statements/${uploaded.body.id}/confirm`)
      await service.runJobs()
    },
    transfers: async () =>
      (await operator.get('/transfers?limit=500')).body.transfers.filter(
        (each: { requisiteId: string }) => each.requisiteId === requisiteId,
      ),
  }
}

onEngines(
  'a row of a day, imported after the time to pay, pays the payment of that day as in time',
  async (service) => {
    for (const render of [exchangeOf, csvOf]) {
      const bank = await openDayBank(service)
      await bank.create('one', 5000)
      service.clock.advance(3 * hour)
      await service.runJobs()
      assert.equal(await bank.shop.status('one'), 'expired')
      const date = bank.date()
      await bank.bring(render, [{ minor: 5000_00n, date }])
      const { body } = await bank.shop.get('/payments/byOrderId/one/status')
      assert.equal(body.status, 'paid')
      const [transfer] = await bank.transfers()
      assert.equal(transfer.outcome, 'exact')
      assert.ok(transfer.reasons.includes(`booked some time on ${date}, part of which was in its time to pay`))
    }
    await assertHealthy(service)
  },
)

/** A CSV of a program that writes each day as its first moment in the zone of the account, in UTC. */
const csvInUtc = ({ rows }: Made): string =>
  [
    'Date,Amount,Description',
    ...rows.map(({ date, minor }) => {
      const at = new Date(Date.parse(`${date}T00:00:00Z`) - moscow).toISOString()
      return `${at},+${Number(minor) / 100},Order`
    }),
  ].join('\n')

onEngines('midnight at the account is a day, whatever zone the file writes it in', async (service) => {
  const bank = await openDayBank(service)
  await bank.create('one', 5000)
  const date = bank.date()
  await bank.bring(csvInUtc, [{ minor: 5000_00n, date }])
  assert.equal(await bank.shop.status('one'), 'paid')
  assert.equal((await bank.transfers())[0].bookedOn, date)
})

onOne('another amount of the day follows the policy, one of the next day waits for its sender', async (service) => {
  const bank = await openDayBank(service)
  await bank.create('one', 5000)
  service.clock.advance(3 * hour)
  await service.runJobs()
  await bank.bring(exchangeOf, [{ minor: 4800_00n, date: bank.date() }])
  await service.runJobs()
  const { body } = await bank.shop.get('/payments/byOrderId/one')
  assert.deepEqual([body.payment?.status ?? body.status, await bank.shop.status('one')], ['disput-paid', 'disput-paid'])

  const next = await openDayBank(service)
  await next.create('two', 5000)
  service.clock.advance(14 * hour)
  await service.runJobs()
  await next.bring(exchangeOf, [{ minor: 4800_00n, date: next.date() }])
  assert.equal(await next.shop.status('two'), 'expired')
  const [transfer] = await next.transfers()
  assert.deepEqual([transfer.outcome, transfer.suggestions[0].orderId], ['ambiguous', 'two'])
  await assertHealthy(service)
})

onOne('a row of yesterday pays the payment of yesterday as in time', async (service) => {
  const bank = await openDayBank(service)
  await bank.create('one', 5000)
  const date = bank.date()
  service.clock.advance(20 * hour)
  await service.runJobs()
  await bank.bring(exchangeOf, [{ minor: 5000_00n, date }])
  assert.equal(await bank.shop.status('one'), 'paid')
  assert.equal((await bank.transfers())[0].outcome, 'exact')
  await assertHealthy(service)
})

onOne('a row of a day is of no payment of the next, and shows its day', async (service) => {
  const bank = await openDayBank(service)
  // Half a minute after midnight in the zone of the account: far less than the clock of a bank may be off.
  service.clock.advance(12 * hour + 30_000)
  await bank.create('one', 5000)
  await bank.bring(exchangeOf, [{ minor: 5000_00n, date: bank.date(day) }])
  assert.equal(await bank.shop.status('one'), 'new')
  const [yesterday] = await bank.transfers()
  assert.deepEqual([yesterday.outcome, yesterday.suggestions], ['none', []])
  assert.deepEqual([yesterday.bookedOn, yesterday.bookedAt], [bank.date(day), `${bank.date(day)}T20:59:59.999Z`])
  await bank.bring(exchangeOf, [{ minor: 5000_00n, date: bank.date() }])
  assert.equal(await bank.shop.status('one'), 'paid')
  assert.equal((await bank.transfers())[0].bookedOn, bank.date())
  await assertHealthy(service)
})

onOne('money that left on a day is shown with the day, not with the time of the import', async (service) => {
  const bank = await openDayBank(service)
  await bank.create('one', 5000)
  await bank.bring(exchangeOf, [{ minor: -700_00n, date: bank.date() }])
  const { outgoing } = (await openOperator(service).get('/outgoing?limit=1')).body
  assert.deepEqual([outgoing[0].amount, outgoing[0].bookedOn], [700, bank.date()])
})

// Names of payers: evidence for an operator, never a decision, and never in clear in the database.
import assert from 'node:assert/strict'
import { query, text } from 'payin-database'
import { openOperator } from '../support/operator.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { exchangeOf, uploadFile } from '../support/statement-files.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { hour } from '../../src/rules/time.ts'

const { onEngines } = shareEngines()

const pay = async (service: TestService, requisiteId: string, amount: bigint, senderName: string | null) => {
  const [recorded] = await service.context.transaction((tx) =>
    recordTransfers(tx, [
      {
        ...{ requisiteId, currency: 'rub', amount, source: 'test', sender: null, senderName },
        ...{ bookedAt: service.clock.now, bankReference: `ref-${amount}` },
      },
    ]),
  )
  assert.ok(recorded)
  return recorded
}

const open = async (shop: Shop, orderId: string, amount: number, userId: string): Promise<string> => {
  const { status, body } = await shop.create(orderId, { amount, userId })
  assert.equal(status, 201, JSON.stringify(body))
  return body.card.id
}

/** What the name says about each payment but the paid one. */
const nameVerdicts = (recorded: Awaited<ReturnType<typeof pay>>): Record<string, string> =>
  Object.fromEntries(
    recorded.suggestions.flatMap(({ orderId, evidence }) =>
      orderId === 'before' ? [] : [[orderId, evidence.name.verdict]],
    ),
  )

onEngines('a name from which the user has paid before speaks for its payment, and never decides', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const requisiteId = await open(shop, 'before', 5000, 'ivan')
  assert.equal((await pay(service, requisiteId, 5000_00n, 'Иванов Иван Иванович')).outcome, 'exact')
  await open(shop, 'ivan again', 1000, 'ivan')
  await open(shop, 'somebody', 1001, 'anna')
  const short = await pay(service, requisiteId, 990_00n, 'IVANOV I.')
  assert.equal(short.outcome, 'ambiguous')
  assert.deepEqual(nameVerdicts(short), { 'ivan again': 'supports', somebody: 'unknown' })
  assert.equal(short.suggestions[0]?.orderId, 'ivan again')
  assert.equal(short.suggestions[0].evidence.name.why, 'sent by a name from which its user has paid before')
  const whole = await pay(service, requisiteId, 991_00n, 'Ivanov Ivan Ivanovich')
  assert.deepEqual(
    [whole.outcome, nameVerdicts(whole)],
    ['ambiguous', { 'ivan again': 'supports', somebody: 'unknown' }],
  )
  const other = await pay(service, requisiteId, 992_00n, 'Иванов Пётр')
  assert.deepEqual(nameVerdicts(other), { 'ivan again': 'unknown', somebody: 'unknown' })
  // Another merchant's user of the same name is another person.
  const next = await openShop(service, { perMethod: 1 })
  const elsewhere = await open(next, 'one', 1000, 'ivan')
  await open(next, 'two', 1001, 'anna')
  assert.deepEqual(nameVerdicts(await pay(service, elsewhere, 990_00n, 'Иванов Иван')), {
    one: 'unknown',
    two: 'unknown',
  })
  await assertHealthy(service)
})

onEngines('what an operator assigns is known from then on, and what it takes back no longer', async (service) => {
  const shop = await openShop(service, { perMethod: 1, terms: { partialPolicy: 'add-up' } })
  const operator = openOperator(service)
  const requisiteId = await open(shop, 'one', 1000, 'ivan')
  await open(shop, 'two', 1500, 'anna')
  const first = await pay(service, requisiteId, 800_00n, 'Петрова Анна')
  assert.deepEqual(nameVerdicts(first), { one: 'unknown', two: 'unknown' })
  const two = first.suggestions.find((each) => each.orderId === 'two')
  const shares = [{ merchantId: shop.merchantId, paymentId: two?.paymentId, amount: 800 }]
  const path = `/transfers/${requisiteId}/${first.id}`
  const assigned = await operator.call('POST', `${path}/assign`, { shares, note: 'she called' })
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
  assert.deepEqual(nameVerdicts(await pay(service, requisiteId, 801_00n, 'PETROVA ANNA')), {
    one: 'unknown',
    two: 'supports',
  })
  const back = await operator.call('POST', `${path}/unassign`, { reason: 'it was another Anna' })
  assert.equal(back.status, 200, JSON.stringify(back.body))
  assert.deepEqual(nameVerdicts(await pay(service, requisiteId, 802_00n, 'PETROVA ANNA')), {
    one: 'unknown',
    two: 'unknown',
  })
  await assertHealthy(service)
})

const storedNames = query('test_stored_names', {
  row: { stored: text },
  text: `select to_jsonb(transfers)::text as stored from transfers where sender_name_sealed is not null`,
})

onEngines(
  'the name of a statement is kept sealed, and shown whole only to those who may reveal numbers',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const operator = openOperator(service)
    const requisiteId = await open(shop, 'one', 5000, 'ivan')
    const account = '40702810600000000001'
    await operator.call('PUT', '/statement-accounts', { accounts: [{ number: account, requisiteIds: [requisiteId] }] })
    // The day of the account, which is in Moscow.
    const date = new Date(service.clock.now + 3 * hour).toISOString().slice(0, 10)
    const rows = [{ minor: 5000_00n, date, payer: 'Сидоров Семён Петрович' }]
    const { body } = await uploadFile(service, exchangeOf({ account, rows }))
    await operator.call('POST', `/statements/${body.id}/confirm`)
    await service.runJobs()
    const { transfers } = (await operator.get('/transfers?limit=500')).body
    const found = transfers.find((each: { requisiteId: string }) => each.requisiteId === requisiteId)
    assert.deepEqual([found.outcome, found.senderName], ['exact', 'С. С. П.'])
    // Whoever may reveal numbers reads the name where the decision is made, and in the file; others read initials.
    for (const [token, name] of [
      [undefined, 'Сидоров Семён Петрович'],
      ['vera', 'С. С. П.'],
    ] as const) {
      const reader = openOperator(service, token)
      const { senderName } = (await reader.get(`/transfers/${requisiteId}/${found.id}`)).body
      const { payerName } = (await reader.get(`/statements/${body.id}/rows`)).body.rows[0]
      assert.deepEqual([senderName, payerName], [name, name])
    }
    const stored = await service.context.query(storedNames, {})
    assert.ok(stored.length > 0)
    assert.ok(stored.every((row) => !/Сидоров|Иванов|Петрова/.test(row.stored)))
    await assertHealthy(service)
  },
)

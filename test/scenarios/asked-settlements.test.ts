// Settlements and destinations that a merchant asks for: who approves them, what they take, and by which schedule.
import assert from 'node:assert/strict'
import { day, hour, minute, startsOf } from '../../src/rules/time.ts'
import { recordOutgoing } from '../../src/engine/transfers/outgoing/record-outgoing.ts'
import { readReports } from '../../src/engine/ledger/reports/read-reports.ts'
import { requestScheduled } from '../../src/engine/ledger/settlements/request-scheduled.ts'
import { openBank } from '../support/bank.ts'
import { openDestination } from '../support/destination.ts'
import { newsOf, owedIn } from '../support/ledger.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, onBothEngines, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, type Shop } from '../support/shop.ts'
import { mt940Of } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

let orders = 0
/** A paid payment of this many minor units; 5000 rub leave the merchant 53.513514 USDT. */
const earn = async (service: TestService, shop: Shop, minor = 5000_00n): Promise<string> => {
  const orderId = `earned-${++orders}`
  const { body, status } = await shop.create(orderId, { amount: Number(minor) / 100 })
  assert.equal(status, 201, JSON.stringify(body))
  await payIn(service, { requisiteId: body.card.id, minor })
  return orderId
}

const openDesk = async (service: TestService, options: Parameters<typeof openShop>[1] = {}) => {
  const shop = await openShop(service, options)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const at = (id: string, step: string): string => `/settlements/${shop.merchantId}/${id}/${step}`
  return { shop, anna, boris, at }
}

const balanceOf = async (shop: Shop) => (await shop.get('/balance')).body

const settings = async (service: TestService, shop: Shop, changed: object): Promise<Answer> =>
  openOperator(service, 'anna').call('PATCH', `/merchants/${shop.merchantId}`, { settings: changed })

onEngines(
  'a merchant asks for its balance, one operator approves and pays it, and each submit counts once',
  async (service) => {
    const { shop, anna, at } = await openDesk(service)
    await earn(service, shop)
    const destinationId = await openDestination(service, shop.merchantId)
    const wanted = { reference: 'june', destinationId }
    const asked = await shop.post('/settlements', wanted)
    assert.equal(asked.status, 201, JSON.stringify(asked.body))
    assert.deepEqual([asked.body.status, asked.body.amount], ['requested', 53.513514])
    assert.deepEqual((await shop.post('/settlements', wanted)).body, asked.body)
    assertProblem(await shop.post('/settlements', { ...wanted, amount: 1 }), 409, 'already_exists')
    assertProblem(await shop.post('/settlements', { ...wanted, reference: 'july' }), 409, 'balance_insufficient')
    assert.deepEqual(await balanceOf(shop), { currency: 'USDT', available: 0, held: 53.513514, paidOut: 0 })

    const listed = await anna.get(`/settlements?status=requested&merchantId=${shop.merchantId}`)
    assert.equal(listed.body.settlements[0].requestedBy, `merchant:${shop.merchantId}`)
    assert.equal(listed.body.settlements[0].draftedBy, undefined)
    const { waiting } = (await anna.get('/overview')).body
    assert.ok(JSON.stringify(waiting).includes('settlements-requested'), JSON.stringify(waiting))

    const { id } = asked.body
    assertProblem(await anna.call('POST', at(id, 'pay'), { externalReference: 'tx-1' }), 409, 'invalid_state')
    const approved = await anna.call('POST', at(id, 'approve'))
    assert.deepEqual([approved.body.status, approved.body.draftedBy], ['approved', 'operator:anna'])
    assertProblem(await shop.post(`/settlements/${id}/cancel`, {}), 409, 'invalid_state')
    assert.equal((await anna.call('POST', at(id, 'pay'), { externalReference: 'tx-1' })).body.status, 'paid')
    assert.deepEqual(await balanceOf(shop), { currency: 'USDT', available: 0, held: 0, paidOut: 53.513514 })
    for (const kind of ['settlement.approved', 'settlement.paid'])
      assert.equal((await newsOf(service, shop.merchantId, kind)).length, 1, kind)
    const { entries } = (await shop.get(`/settlements/${id}/entries`)).body
    assert.deepEqual(
      entries.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount]),
      [['credit', 53.513514]],
    )
    await assertHealthy(service)
  },
)

onEngines('beyond the bound of one, the first approval is a draft that another operator approves', async (service) => {
  const { shop, anna, boris, at } = await openDesk(service)
  for (let paid = 0; paid < 2; paid++) await earn(service, shop, 100_000_00n)
  const destinationId = await openDestination(service, shop.merchantId)
  const { body } = await shop.post('/settlements', { reference: 'large', destinationId })
  assert.equal(body.amount, 2140.540542)
  const taken = await anna.call('POST', at(body.id, 'approve'))
  assert.deepEqual([taken.body.status, taken.body.secondPerson], ['draft', true])
  assertProblem(await anna.call('POST', at(body.id, 'approve')), 403, 'second_person_required')
  const approved = await boris.call('POST', at(body.id, 'approve'))
  assert.deepEqual([approved.body.status, approved.body.approvedBy], ['approved', 'operator:boris'])
  await assertHealthy(service)
})

onEngines(
  'many requests at once hold the balance once, and what is canceled can be asked for again',
  async (service) => {
    const { shop } = await openDesk(service)
    await earn(service, shop)
    const destinationId = await openDestination(service, shop.merchantId)
    const ask = (reference: string) => shop.post('/settlements', { reference, destinationId, amount: 20 })
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => ask(`r-${index}`)))
    const made = answers.filter(({ status }) => status === 201)
    assert.equal(made.length, 2)
    for (const { status } of answers) assert.ok(status === 201 || status === 409)
    for (const { body } of made)
      assert.equal((await shop.post(`/settlements/${body.id}/cancel`, {})).body.status, 'canceled')
    assert.deepEqual(await balanceOf(shop), { currency: 'USDT', available: 53.513514, held: 0, paidOut: 0 })
    assert.equal((await newsOf(service, shop.merchantId, 'settlement.canceled')).length, 2)
    const other = await openShop(service)
    assertProblem(await other.post(`/settlements/${made[0]?.body.id}/cancel`, {}), 404, 'resource_not_found')
    await assertHealthy(service)
  },
)

onOne('a destination that a merchant asks for takes two operators and its cooling time', async (service) => {
  const { shop, anna, boris } = await openDesk(service)
  await earn(service, shop)
  const wallet = { kind: 'tron', address: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', label: 'Ours' }
  const asked = await shop.post('/destinations', wallet)
  assert.deepEqual([asked.status, asked.body.status], [201, 'requested'])
  assert.equal((await shop.post('/destinations', wallet)).status, 200)
  assertProblem(await shop.post('/destinations', { ...wallet, address: 'TLa2f6' }), 400, 'validation_failed')
  const { id: destinationId } = asked.body
  const approve = (by: typeof anna) => by.call('POST', `/destinations/${shop.merchantId}/${destinationId}/approve`)
  const ask = () => shop.post('/settlements', { reference: 'june', destinationId })
  assertProblem(await ask(), 409, 'invalid_state')
  assert.deepEqual([(await approve(anna)).body.status], ['proposed'])
  assertProblem(await approve(anna), 403, 'second_person_required')
  const { status, requestedBy, proposedBy, approvedBy } = (await approve(boris)).body
  assert.deepEqual(
    { status, requestedBy, proposedBy, approvedBy },
    {
      ...{ status: 'cooling', requestedBy: `merchant:${shop.merchantId}` },
      ...{ proposedBy: 'operator:anna', approvedBy: 'operator:boris' },
    },
  )
  assertProblem(await ask(), 409, 'invalid_state')
  service.clock.advance(day)
  assert.equal((await ask()).status, 201)
  assert.equal((await shop.post(`/destinations/${destinationId}/retire`, {})).body.status, 'retired')
  for (let count = 0; count < 20; count++) {
    const address = `DE${String(98 - Number(BigInt(`${37040044_0532013000n + BigInt(count)}131400`) % 97n)).padStart(2, '0')}${37040044_0532013000n + BigInt(count)}`
    const { status: made, body } = await shop.post('/destinations', {
      kind: 'iban',
      address,
      label: `Account ${count}`,
    })
    assert.equal(made, 201, JSON.stringify(body))
  }
  assertProblem(await shop.post('/destinations', { ...wallet, label: 'Again' }), 409, 'invalid_state')
})

onBothEngines('outgoing money in its currency pays a settlement only with its whole amount, once', async (service) => {
  const bank = await openBank(service, 'live', { settings: { quoteCurrency: 'rub' }, hasRate: false })
  const { shop, requisiteId } = bank
  const { merchantId } = shop
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  await earn(service, shop)
  const destinationId = await openDestination(service, merchantId, 'Account', 'ru-account')
  const { body } = await shop.post('/settlements', { reference: 'june', amount: 100, destinationId })
  assert.equal((await anna.call('POST', `/settlements/${merchantId}/${body.id}/approve`)).body.status, 'draft')
  assert.equal((await boris.call('POST', `/settlements/${merchantId}/${body.id}/approve`)).body.status, 'approved')
  await bank.bringAgreed(mt940Of, [
    { minor: -1_00n, payer: 'Bank', text: 'Fee' },
    { minor: -100_00n, payer: 'Shop', text: 'June' },
    { minor: -100_00n, payer: 'Somebody', text: 'Rent' },
  ])
  const { outgoing } = (await anna.get(`/outgoing?requisiteId=${requisiteId}&state=unexplained`)).body
  const [second, first, fee] = outgoing
  await service.context.transaction((tx) =>
    recordOutgoing(
      tx,
      [
        {
          ...{ requisiteId, currency: 'rub', amount: 100_00n, bookedAt: tx.now, source: 'test', bankReference: 'back' },
          ...{ likeness: null, referenceKind: null, bookedOn: null, channel: 'mt940', givenBack: true },
          dedupeKey: 'back',
          payee: { number: null, name: null, text: 'back' },
        },
      ],
      () => Promise.resolve(new Map()),
      () => Promise.resolve(10n ** 12n),
    ),
  )
  const [back] = (await anna.get(`/outgoing?requisiteId=${requisiteId}&state=unexplained`)).body.outgoing
  const book = (by: typeof anna, { id }: { id: string }) =>
    by.call('POST', `/outgoing/${requisiteId}/${id}/book`, {
      ...{ purpose: 'settlement', reason: 'june', merchantId, settlementId: body.id },
    })
  const came = await book(anna, back)
  assertProblem(came, 409, 'invalid_state')
  assert.equal(came.body.detail, 'The bank gave this money back: it has paid nobody.')
  const wrong = await book(anna, fee)
  assertProblem(wrong, 409, 'invalid_state')
  assert.equal(wrong.body.detail, 'june is of 100.00 rub: this money was for something else.')
  for (const by of [anna, boris]) assert.equal((await book(by, first)).status, 200)
  assert.equal((await shop.get(`/settlements/${body.id}`)).body.status, 'paid')
  const again = await book(anna, second)
  assertProblem(again, 409, 'invalid_state')
  assert.match(again.body.detail, /is booked to june already/)
  await assertHealthy(service)
})

onBothEngines('what a merchant has lost since it asked is not approved, also if two decide', async (service) => {
  const { shop, anna, boris, at } = await openDesk(service)
  const { payment, card } = (await shop.create('lost', { amount: 5000 })).body
  const money = await payIn(service, { requisiteId: card.id, minor: 5000_00n })
  await earn(service, shop)
  const destinationId = await openDestination(service, shop.merchantId)
  const { body: part } = await shop.post('/settlements', { reference: 'part', amount: 60, destinationId })
  const claim = { amount: 4000, note: 'too much' }
  const opened = await boris.call('POST', `/payments/${shop.merchantId}/${payment.id}/disputes`, claim)
  const waits = await anna.call('POST', at(part.id, 'approve'))
  assertProblem(waits, 409, 'balance_insufficient')
  assert.match(waits.body.detail, / tie up 6\.486486 USDT more than the merchant has left/)
  const about = `/disputes/${shop.merchantId}/${opened.body.id}`
  await boris.call('POST', `${about}/decision`, { decision: 'reject', note: 'right' })
  const { body: rest } = await shop.post('/settlements', { reference: 'rest', destinationId })
  const taken = await boris.call('POST', `/transfers/${card.id}/${money.id}/reverse`, { reason: 'chargeback' })
  assert.equal(taken.status, 200, JSON.stringify(taken.body))
  for (const by of [anna, boris])
    for (const { id } of [part, rest]) {
      const lost = await by.call('POST', at(id, 'approve'))
      assertProblem(lost, 409, 'balance_insufficient')
      assert.match(lost.body.detail, /^The merchant now owes 53\.513514 USDT/)
    }
  assert.equal((await anna.call('POST', at(rest.id, 'fail'), { reason: 'lost' })).body.status, 'failed')
  assert.equal((await shop.post(`/settlements/${part.id}/cancel`, {})).body.status, 'canceled')
  await assertHealthy(service)
})

onOne('the audit names the token that asks, and only schedules have their references', async (service) => {
  const { shop, anna } = await openDesk(service)
  await earn(service, shop)
  const destinationId = await openDestination(service, shop.merchantId)
  for (const by of [
    (path: string, body: object) => shop.post(path, body),
    (path: string, body: object) => anna.call('POST', path, { ...body, merchantId: shop.merchantId }),
  ])
    assertProblem(
      await by('/settlements', { reference: 'scheduled-2026-12-02', destinationId }),
      400,
      'validation_failed',
      ['reference'],
    )
  await shop.post('/settlements', { reference: 'june', destinationId })
  const { tokens } = (await anna.get(`/merchants/${shop.merchantId}/tokens`)).body
  const { action, actor, credential } = await anna.lastAudit()
  assert.deepEqual(
    { action, actor, credential },
    { action: 'settlement.request', actor: `merchant:${shop.merchantId}`, credential: `token:${tokens[0].id}` },
  )
})

onOne(
  'it takes neither what is in dispute nor more than its bounds, and a token without the scope nothing',
  async (service) => {
    const { shop, boris } = await openDesk(service)
    const orderId = await earn(service, shop)
    await earn(service, shop)
    const destinationId = await openDestination(service, shop.merchantId)
    const ask = (reference: string, amount?: number) => shop.post('/settlements', { reference, destinationId, amount })
    const { body: payment } = await shop.get(`/payments/byOrderId/${orderId}`)
    const claim = { amount: 4000, note: 'too much' }
    const opened = await boris.call('POST', `/payments/${shop.merchantId}/${payment.id}/disputes`, claim)
    assert.equal(opened.status, 201, JSON.stringify(opened.body))
    assert.equal((await balanceOf(shop)).waiting, 53.513514)
    assertProblem(await ask('all', 107.027028), 409, 'balance_insufficient')
    const about = `/disputes/${shop.merchantId}/${opened.body.id}`
    assert.equal((await settings(service, shop, { minSettlement: 10, maxSettlementPerDay: 60 })).status, 200)
    assertProblem(await ask('small', 9.99), 409, 'invalid_state')
    assert.equal((await ask('first', 50)).status, 201)
    const rejected = await boris.call('POST', `${about}/decision`, { decision: 'reject', note: 'right' })
    assert.equal(rejected.status, 200, JSON.stringify(rejected.body))
    assert.equal((await balanceOf(shop)).waiting, undefined)
    assertProblem(await ask('second', 10.000001), 409, 'invalid_state')
    const { body: second } = await ask('second', 10)
    assertProblem(await ask('more', 10), 409, 'invalid_state')
    await shop.post(`/settlements/${second.id}/cancel`, {})
    assert.equal((await ask('again', 10)).status, 201)
    service.clock.advance(day + minute)
    assert.equal((await ask('third')).body.amount, 47.027028)
    const limited = await openShop(service, { scopes: ['balance:read', 'payments:write'] })
    assertProblem(await limited.post('/settlements', { reference: 'r', destinationId }), 403, 'scope_missing')
    assertProblem(await limited.post('/destinations', {}), 403, 'scope_missing')
    await assertHealthy(service)
  },
)

onBothEngines('the debit that pays an approved settlement exactly proves that it is paid', async (service) => {
  const bank = await openBank(service, 'live', { settings: { quoteCurrency: 'rub' }, hasRate: false })
  const { shop, requisiteId } = bank
  const { merchantId } = shop
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  await earn(service, shop)
  const destinationId = await openDestination(service, merchantId, 'Account', 'ru-account')
  const { body } = await shop.post('/settlements', { reference: 'june', destinationId })
  assert.deepEqual([body.currency, body.amount], ['rub', 4950])
  for (const by of [anna, boris]) await by.call('POST', `/settlements/${merchantId}/${body.id}/approve`)
  await bank.bringAgreed(mt940Of, [{ minor: -4950_00n, payer: 'Shop' }])
  const [sent] = (await anna.get(`/outgoing?requisiteId=${requisiteId}&state=unexplained`)).body.outgoing
  const book = { purpose: 'settlement', reason: 'june', merchantId, settlementId: body.id }
  for (const by of [anna, boris])
    assert.equal((await by.call('POST', `/outgoing/${requisiteId}/${sent.id}/book`, book)).status, 200)
  const paid = (await shop.get(`/settlements/${body.id}`)).body
  assert.deepEqual([paid.status, paid.externalReference], ['paid', sent.bankReference ?? sent.id])
  assert.equal((await newsOf(service, merchantId, 'settlement.paid')).length, 1)
  assert.ok((await owedIn(service, merchantId)).includes('paid-out 4950.00 rub'))
  const unbook = (by: typeof anna) =>
    by.call('POST', `/outgoing/${requisiteId}/${sent.id}/unbook`, { reason: 'a mistake' })
  const statusOf = async () => (await shop.get(`/settlements/${body.id}`)).body.status
  for (const [by, status] of [
    [anna, 'paid'],
    [boris, 'approved'],
  ] as const) {
    assert.equal((await unbook(by)).status, 200)
    assert.equal(await statusOf(), status)
  }
  assert.ok((await owedIn(service, merchantId)).includes('held 4950.00 rub'))
  await assertHealthy(service)
  for (const by of [anna, boris])
    assert.equal((await by.call('POST', `/outgoing/${requisiteId}/${sent.id}/book`, book)).status, 200)
  assert.equal(await statusOf(), 'paid')
  service.clock.advance(5 * minute)
  const month = new Date(service.clock.now).toISOString().slice(0, 7)
  const [report] = await readReports(service.context, merchantId, month)
  assert.equal(report?.paidOut, 4950_00n)
  await assertHealthy(service)
})

onEngines(
  'a schedule asks once for each of its spans, and an operator approves that like any other',
  async (service) => {
    const { shop, anna, at } = await openDesk(service)
    const round = async () => {
      while ((await requestScheduled(service.context)) > 0);
    }
    const asked = async () =>
      (await anna.get(`/settlements?merchantId=${shop.merchantId}`)).body.settlements.map(
        ({ reference, amount }: { reference: string; amount: number }) => [reference, amount],
      )
    const destinationId = await openDestination(service, shop.merchantId)
    assertProblem(await settings(service, shop, { settlementEvery: 'week' }), 400, 'validation_failed')
    const aimless = { name: 'Aimless', mode: 'live', settings: { settlementEvery: 'week' } }
    assertProblem(await openOperator(service).call('POST', '/merchants', aimless), 400, 'validation_failed')
    assertProblem(
      await settings(service, shop, { settlementEvery: 'week', settlementTo: shop.merchantId }),
      404,
      'resource_not_found',
    )
    assert.equal((await settings(service, shop, { settlementEvery: 'week', settlementTo: destinationId })).status, 200)
    await earn(service, shop)
    await round()
    assert.deepEqual(await asked(), [])
    service.clock.advance(startsOf(service.clock.now).week + 7 * day - service.clock.now - 1)
    await round()
    assert.deepEqual(await asked(), [])
    service.clock.advance(hour)
    const monday = new Date(service.clock.now).toISOString().slice(0, 10)
    await Promise.all([round(), round(), round()])
    assert.deepEqual(await asked(), [[`scheduled-${monday}`, 53.513514]])
    await earn(service, shop)
    service.clock.advance(6 * day)
    await round()
    assert.equal((await asked()).length, 1)
    // Nothing is asked for while there is too little, and the next Monday asks for all.
    assert.equal((await settings(service, shop, { minSettlement: 60 })).status, 200)
    service.clock.advance(day)
    await round()
    assert.equal((await asked()).length, 1)
    await earn(service, shop)
    service.clock.advance(7 * day)
    await round()
    const [last] = await asked()
    assert.equal(last[1], 107.027028)
    const [{ id }] = (await shop.get('/settlements?status=requested')).body.settlements
    assert.equal((await anna.call('POST', at(id, 'approve'))).body.status, 'approved')
    await assertHealthy(service)
  },
)

onOne(
  'a schedule asks at the beginning of each day or month, of active live merchants, beyond their own bound',
  async (service) => {
    // Whatever the day is: from the second day of a month to the next one.
    const month = startsOf(startsOf(service.clock.now).month + 32 * day).month
    service.clock.advance(month + day + hour - service.clock.now)
    const open = async (settlementEvery: 'day' | 'month', mode: 'live' | 'sandbox' = 'live') => {
      const shop = await openShop(service, { mode })
      await earn(service, shop)
      const settlementTo = await openDestination(service, shop.merchantId)
      const changed = await settings(service, shop, { settlementEvery, settlementTo, maxSettlementPerDay: 10 })
      assert.equal(changed.status, 200, JSON.stringify(changed.body))
      return shop
    }
    const [daily, monthly, suspended] = [await open('day'), await open('month'), await open('day')]
    const sandbox = await open('day', 'sandbox')
    const status = { status: 'suspended' }
    await openOperator(service, 'anna').call('PATCH', `/merchants/${suspended.merchantId}`, status)
    const count = async ({ merchantId }: Shop) =>
      (await openOperator(service, 'anna').get(`/settlements?merchantId=${merchantId}`)).body.settlements.length
    const counts = async () => {
      while ((await requestScheduled(service.context)) > 0);
      return Promise.all([daily, monthly, suspended, sandbox].map(count))
    }
    assert.deepEqual(await counts(), [0, 0, 0, 0])
    service.clock.advance(day)
    assert.deepEqual(await counts(), [1, 0, 0, 0])
    service.clock.advance(startsOf(month + 32 * day).month + minute - service.clock.now)
    assert.deepEqual(await counts(), [1, 1, 0, 0])
  },
)

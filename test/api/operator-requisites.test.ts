// Requisites, bank issuers and rates in the operator API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minute } from '../../src/rules/time.ts'
import { withAccountKey } from '../../src/rules/money/bank-details.ts'
import { listRequisites } from '../../src/engine/requisites/store.ts'
import { openOperator, setAgreedRate, unknownId } from '../support/operator.ts'
import { openFeed } from '../support/push.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { newNumber, openShop, send } from '../support/shop.ts'

const opened = shareService()

const requisite = (fields: object = {}) => ({
  method: 'card-to-card',
  currency: 'rub',
  bankIssuer: 'bank-a',
  holder: 'Ivan Petrov',
  number: newNumber('card-to-card'),
  ...fields,
})

const noLimits = {
  minAmount: null,
  maxAmount: null,
  dayAmount: null,
  dayCount: null,
  monthAmount: null,
  monthCount: null,
  openPayments: null,
  workingMinutes: null,
  pauseAfter: 10,
  lateWindowMs: null,
  coolDownMs: null,
  utcOffsetMinutes: 180,
}

onBothEngines('201: adds requisites that are handed out, masked everywhere', async (service) => {
  const operator = openOperator(service)
  const shop = await openShop(service, { perMethod: 0 })
  const wanted = [
    requisite({ limits: { maxAmount: 10_000.5, dayCount: 3, workingMinutes: [0, 1440] } }),
    requisite({ method: 'by-phone', number: newNumber('by-phone'), transferScope: 'international' }),
    requisite({ merchantId: shop.merchantId }),
  ]
  const added = await operator.call('POST', '/requisites', { requisites: wanted })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const { requisites } = (await operator.get('/requisites')).body
  assert.deepEqual(
    requisites.map((each: { id: string }) => each.id),
    added.body.ids,
  )
  assert.deepEqual(requisites[0], {
    ...wanted[0],
    mode: 'live',
    id: added.body.ids[0],
    shownName: 'Ivan P.',
    number: `•••• ${wanted[0]?.number.slice(-4)}`,
    limits: { ...noLimits, maxAmount: 10_000.5, dayCount: 3, workingMinutes: [0, 1440] },
    status: 'active',
  })
  assert.equal(requisites[2].merchantId, shop.merchantId)
  const created = await shop.create('order', { method: 'card-to-card' })
  assert.equal(created.body.card.pan, wanted[2]?.number)
  const audit = JSON.stringify((await operator.get('/audit')).body)
  for (const { number } of wanted) assert.ok(!audit.includes(number))
})

test('adds all or none, and tells every wrong field', async () => {
  const operator = openOperator(opened())
  await openShop(opened(), { perMethod: 0 })
  const total = async () => (await operator.get('/requisites?limit=500')).body.requisites.length
  const before = await total()
  const add = (...requisites: object[]) => operator.call('POST', '/requisites', { requisites })
  const wrong = await add(
    requisite(),
    requisite({ bankIssuer: 'nobody', number: '1234' }),
    requisite({ merchantId: unknownId }),
  )
  assertProblem(wrong, 400, 'validation_failed', ['requisites.2.merchantId'])
  const fields = ['requisites.0.bankIssuer', 'requisites.0.number', 'requisites.1.transferScope']
  const more = await add(
    requisite({ bankIssuer: 'nobody', number: '1234' }),
    requisite({ transferScope: 'international' }),
  )
  assertProblem(more, 400, 'validation_failed', fields)
  const precise = await add(requisite({ limits: { dayAmount: 0.001 } }))
  assertProblem(precise, 422, 'amount_precision', ['requisites.0.limits.dayAmount'])
  const twice = requisite()
  assertProblem(await add(requisite(), twice, twice), 409, 'already_exists', ['requisites.2.number'])
  assertProblem(await add(), 400, 'validation_failed', ['requisites'])
  assert.equal(await total(), before)
})

test('201: keeps who gets the money, sealed; refuses numbers that banks would refuse', async () => {
  const service = opened()
  const operator = openOperator(service)
  await openShop(service, { perMethod: 0 })
  const branch = { bic: '044500123', correspondentAccount: '30101810800000000123' }
  const account = (fields: object, number = withAccountKey(newNumber('account-to-account'), branch.bic)) =>
    requisite({ method: 'account-to-account', number, recipient: { inn: '1234567894', ...branch, ...fields } })
  const named = { givenName: 'Анна', familyName: 'Петрова' }
  const add = (...requisites: object[]) => operator.call('POST', '/requisites', { requisites })
  const recipient = { inn: '1234567894', ...branch, kpp: '770001001', purpose: 'Счёт {order}' }
  const whole = account(recipient)
  const person = requisite({ holder: undefined, recipient: named })
  const added = await add(whole, person)
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const [kept, shown] = (await operator.get('/requisites?limit=500')).body.requisites.slice(-2)
  assert.deepEqual(kept.recipient, recipient)
  assert.deepEqual([shown.holder, shown.shownName, shown.recipient], ['Петрова Анна', 'Анна П.', named])
  const stored = (await service.context.query(listRequisites, {})).filter(({ id }) => added.body.ids.includes(id))
  assert.ok(stored.every(({ recipientSealed }) => /^v1\.[\w.-]+$/.test(recipientSealed ?? '')))
  for (const [wrong, field] of [
    [account({ inn: '1234567890' }), 'recipient.inn'],
    [account({ kpp: '770001001', inn: '123456789047' }), 'recipient.kpp'],
    [account({ correspondentAccount: '30101810900000000123' }), 'recipient.correspondentAccount'],
    [account({ bic: undefined }), 'recipient.bic'],
    [account({ purpose: '{amount}' }), 'recipient.purpose'],
    [account({}, `${whole.number.slice(0, 8)}${(Number(whole.number[8]) + 1) % 10}${whole.number.slice(9)}`), 'number'],
    [requisite({ recipient: { inn: '1234567894' } }), 'recipient.inn'],
    [requisite({ recipient: { givenName: 'Анна' } }), 'recipient.familyName'],
    [requisite({ holder: undefined }), 'holder'],
  ] as const) {
    assertProblem(await add(wrong), 400, 'validation_failed', [`requisites.0.${field}`])
  }
})

test('200: changes what payers see of a recipient, and says in the audit what was changed, not how', async () => {
  const service = opened()
  const operator = openOperator(service)
  const shop = await openShop(service, { perMethod: 1 })
  const { body } = await shop.create('shown', { method: 'sbp' })
  const change = (fields: object) => operator.call('PATCH', `/requisites/${body.card.id}/recipient`, fields)
  const page = async () => (await send(service, `/en${new URL(body.redirectUrl).pathname}`)).body
  assert.match(await page(), />Ivan P\.</)
  const changed = await change({ holder: 'Петрова Анна Сергеевна', shownAs: 'Анна Сергеевна П.' })
  assert.deepEqual(changed.body, {
    holder: 'Петрова Анна Сергеевна',
    shownName: 'Анна Сергеевна П.',
    recipient: { shownAs: 'Анна Сергеевна П.' },
  })
  assert.match(await page(), />Анна Сергеевна П\.</)
  assert.deepEqual((await operator.lastAudit()).details, { fields: ['holder', 'shownAs'] })
  assert.equal((await change({ shownAs: null })).body.shownName, 'Анна П.')
  assertProblem(await change({ inn: '1234567894' }), 400, 'validation_failed', ['inn'])
  assertProblem(await change({ familyName: 'Петрова' }), 400, 'validation_failed', ['givenName'])
  assertProblem(await change({}), 400, 'validation_failed')
  const unknown = await operator.call('PATCH', `/requisites/${unknownId}/recipient`, { shownAs: 'x' })
  assertProblem(unknown, 404, 'resource_not_found')
})

test('201: takes a thousand at a time, and pages through them', async () => {
  const operator = openOperator(opened())
  await openShop(opened(), { perMethod: 0 })
  const many = Array.from({ length: 1000 }, () => requisite({ currency: 'eur' }))
  const added = await operator.call('POST', '/requisites', { requisites: many })
  assert.equal(added.status, 201, JSON.stringify(added.body).slice(0, 500))
  const found: string[] = []
  for (let cursor = ''; ; ) {
    const page = (await operator.get(`/requisites?currency=eur&limit=300${cursor}`)).body
    found.push(...page.requisites.map((each: { id: string }) => each.id))
    if (page.nextCursor === undefined) break
    cursor = `&cursor=${page.nextCursor}`
  }
  assert.deepEqual(found, added.body.ids)
  const tooMany = await operator.call('POST', '/requisites', { requisites: [...many, requisite()] })
  assertProblem(tooMany, 400, 'validation_failed', ['requisites'])
})

test('200: pauses, resumes, limits and retires; a retired one does not come back', async () => {
  const service = opened()
  const operator = openOperator(service)
  const shop = await openShop(service, { perMethod: 1, settings: { ownRequisitesOnly: true } })
  const { requisites } = (await operator.get('/requisites?method=account-to-account&limit=500')).body
  const { id } = requisites.find((each: { merchantId?: string }) => each.merchantId === shop.merchantId)
  const modes = async (mode: string) =>
    (await operator.get(`/requisites?mode=${mode}&limit=500`)).body.requisites.map(
      (each: { mode: string }) => each.mode,
    )
  assert.deepEqual([new Set(await modes('live')), await modes('sandbox')], [new Set(['live']), []])
  const update = (body: unknown) => operator.call('PATCH', `/requisites/${id}`, body)
  const create = (order: string, amount = 100) => shop.create(order, { method: 'account-to-account', amount })
  assert.equal((await update({ status: 'paused', reason: 'The bank asks for papers' })).body.status, 'paused')
  assert.equal((await operator.lastAudit()).details['reason'], 'The bank asks for papers')
  assertProblem(await create('paused'), 409, 'requisites_unavailable')
  const limited = await update({ status: 'active', limits: { maxAmount: 200.5, openPayments: 1 } })
  assert.deepEqual(limited.body.limits, { ...noLimits, maxAmount: 200.5, openPayments: 1 })
  assertProblem(await create('too large', 200.51), 409, 'requisites_unavailable')
  assert.equal((await create('first')).status, 201)
  assertProblem(await create('second', 101), 409, 'requisites_unavailable')
  assert.deepEqual((await update({ limits: { openPayments: null } })).body.limits, { ...noLimits, maxAmount: 200.5 })
  const windows = { lateWindowMs: 3_600_000, coolDownMs: 0 }
  assert.deepEqual((await update({ limits: windows })).body.limits, { ...noLimits, maxAmount: 200.5, ...windows })
  const wrong = await update({ limits: { lateWindowMs: -1, coolDownMs: 7 * 86_400_000 + 1 } })
  assertProblem(wrong, 400, 'validation_failed', ['limits.lateWindowMs', 'limits.coolDownMs'])
  assert.equal((await create('third', 102)).status, 201)
  assert.equal((await update({ status: 'retired' })).body.status, 'retired')
  assertProblem(await update({ status: 'active' }), 409, 'invalid_state')
  const retired = (await operator.get('/requisites?status=retired&method=account-to-account')).body.requisites
  assert.deepEqual(
    retired.map((each: { id: string }) => each.id),
    [id],
  )
})

test('200: explains which requisite would be chosen, and why not the others', async () => {
  const service = opened()
  const operator = openOperator(service)
  const shop = await openShop(service, { perMethod: 2 })
  const wish = { merchantId: shop.merchantId, method: 'sbp', currency: 'rub', amount: 777.77 }
  const explain = async (fields: object = {}) =>
    (await operator.call('POST', '/requisites/explain', { ...wish, ...fields })).body
  const before = await explain()
  assert.ok(shop.requisiteIds.includes(before.chosenId))
  assert.equal(before.verdicts[0].requisiteId, before.chosenId)
  const created = await shop.create('explained', { amount: 777.77 })
  assert.equal(created.body.card.id, before.chosenId)
  const after = await explain()
  assert.equal(after.counts['slot-taken'], 1)
  assert.equal(after.counts.free, before.counts.free - 1)
  assert.notEqual(after.chosenId, before.chosenId)
  const taken = after.verdicts.find(({ requisiteId }: { requisiteId: string }) => requisiteId === before.chosenId)
  const until = new Date(service.clock.now + 105 * minute).toISOString()
  assert.deepEqual(taken.held, { payments: 1, until, shared: false })
  const staged = await shop.create('shared', { amount: 888.88, type: 'staged' })
  const shared = { amount: 888.88, type: 'staged' }
  const again = await explain(shared)
  const { held } = again.verdicts.find(
    ({ requisiteId }: { requisiteId: string }) => requisiteId === staged.body.card.id,
  )
  assert.equal(held.shared, true)
  assert.equal(again.counts['slot-taken'], undefined, 'another staged one may share the amount')
  assert.equal((await explain({ ...shared, type: 'direct' })).counts['slot-taken'], 1)
  // Then every requisite holds the amount, and one of them is shared.
  await shop.create('shared, too', { amount: 888.88, type: 'staged' })
  assert.equal((await explain({ ...shared, type: 'direct' })).chosenId, undefined)
  assert.ok(shop.requisiteIds.includes((await explain(shared)).chosenId))
  const none = await explain({ bankIssuer: 'bank-z' })
  assert.equal(none.chosenId, undefined)
  assert.equal(none.counts['other-bank'], before.counts.free)
  assert.ok(none.verdicts.length <= 50)
  const scoped = await operator.call('POST', '/requisites/explain', { ...wish, transferScope: 'international' })
  assertProblem(scoped, 422, 'transfer_scope_not_allowed', ['transferScope'])
})

test('200: adds bank issuers and changes those that exist; refuses a code that is there twice', async () => {
  const operator = openOperator(opened())
  const bank = { code: 'new-bank', name: 'Новый Банк', country: 'RU', sbpMemberId: '100000000111' }
  assert.equal((await operator.call('PUT', '/bank-issuers', { bankIssuers: [bank] })).status, 200)
  const renamed = { code: 'new-bank', name: 'New Bank', country: 'KZ' }
  await operator.call('PUT', '/bank-issuers', { bankIssuers: [renamed] })
  const { bankIssuers } = (await operator.get('/bank-issuers')).body
  assert.deepEqual(
    bankIssuers.find((each: { code: string }) => each.code === 'new-bank'),
    renamed,
  )
  const twice = await operator.call('PUT', '/bank-issuers', { bankIssuers: [renamed, bank] })
  assertProblem(twice, 400, 'validation_failed', ['bankIssuers.1.code'])
  const wrong = await operator.call('PUT', '/bank-issuers', { bankIssuers: [{ code: 'X', name: '', country: 'rus' }] })
  assertProblem(wrong, 400, 'validation_failed', ['bankIssuers.0.code', 'bankIssuers.0.name', 'bankIssuers.0.country'])
})

test('200: sets a rate exactly; it ends with its age', async () => {
  const service = opened()
  const operator = openOperator(service)
  const wanted = '{"price":41.12345678,"maxAgeMs":60000}'
  const { body: proposal } = await openOperator(service, 'anna').call('PUT', '/rates/try', wanted)
  assert.deepEqual([proposal.proposed, proposal.usable], [true, false])
  const set = await operator.call('PUT', '/rates/try', wanted)
  assert.equal(set.status, 200, JSON.stringify(set.body))
  assert.deepEqual(set.body, {
    currency: 'try',
    price: 41.12345678,
    source: 'manual',
    createdAt: new Date(service.clock.now).toISOString(),
    validUntil: new Date(service.clock.now + minute).toISOString(),
    usable: true,
  })
  service.clock.advance(minute)
  const { rates } = (await operator.get('/rates')).body
  assert.equal(rates.find((each: { currency: string }) => each.currency === 'try').usable, false)
})

test('200: shows how a rate has moved, beginning with the one that was in force', async () => {
  const service = opened()
  const operator = openOperator(service)
  await openOperator(service, 'anna').call('PUT', '/rates/aed', { price: 3.6 })
  for (const price of [3.6, 3.61, 3.62]) {
    await operator.call('PUT', '/rates/aed', { price })
    service.clock.advance(13 * 60 * minute)
  }
  const history = async (within: string) => (await operator.get(`/rates/aed/history${within}`)).body.points
  const prices = async (within: string) => (await history(within)).map(({ price }: { price: number }) => price)
  assert.deepEqual(await prices('?within=7d'), [3.6, 3.61, 3.62])
  assert.deepEqual(await prices(''), [3.61, 3.62])
  assert.deepEqual((await operator.get('/rates/xxx/history')).body.points, [])
})

test('refuses rates that are wrong by many or by their form', async () => {
  const operator = openOperator(opened())
  const set = (body: unknown) => operator.call('PUT', '/rates/gel', body)
  await setAgreedRate(opened(), 'gel', 2.7)
  assertProblem(await set({ price: 27 }), 409, 'rate_outside_band')
  assertProblem(await set('{"price":27.123456789}'), 422, 'amount_precision', ['price'])
  assertProblem(await set('{"price":1e-300}'), 422, 'amount_precision', ['price'])
  assertProblem(await set({ price: 0 }), 400, 'validation_failed', ['price'])
  assertProblem(await set({ price: 10_000_000 }), 422, 'amount_above_max', ['price'])
})

test('a feed whose id is written in capitals is the same feed', async () => {
  const shop = await openShop(opened(), { perMethod: 1 })
  const push = await openFeed(opened(), 'capitals', shop.requisiteIds.slice(0, 1))
  const bookedAt = new Date(opened().clock.now).toISOString()
  const money = { amount: 41, currency: 'rub', bookedAt, bankReference: 'CAPITALS-1' }
  const pushed = await push([money], push.sourceId.toUpperCase())
  assert.deepEqual([pushed.status, pushed.body.transfers?.[0]?.state], [200, 'recorded'])
})

test('finds an id that is written in capitals, in a path, a query and a body; an orderId is compared byte for byte', async () => {
  const operator = openOperator(opened())
  const shop = await openShop(opened(), { perMethod: 1 })
  const merchantId = shop.merchantId.toUpperCase()
  const [id = ''] = shop.requisiteIds
  const paused = await operator.call('PATCH', `/requisites/${id.toUpperCase()}`, { status: 'active' })
  assert.deepEqual([paused.status, paused.body.id], [200, id])
  assert.equal((await operator.lastAudit()).subject, `requisite:${id}`)
  const orderId = 'abcdefab-0000-7000-8000-000000000000'
  const { payment } = (await shop.create(orderId)).body
  const listed = await operator.get(`/payments?merchantId=${merchantId}`)
  assert.deepEqual(
    listed.body.payments.map((each: { id: string }) => each.id),
    [payment.id],
  )
  assert.equal((await operator.get(`/payments/${merchantId}/${payment.id.toUpperCase()}`)).body.orderId, orderId)
  const limits = await operator.call('PUT', '/limits/rub', { min: 100, max: 300_000, merchantId })
  assert.deepEqual([limits.status, limits.body.merchantId], [200, shop.merchantId])
  const owned = await operator.call('POST', '/requisites', { requisites: [requisite({ merchantId })] })
  assert.equal(owned.status, 201, JSON.stringify(owned.body))
  assert.equal((await shop.create(orderId.toUpperCase(), { amount: 5001 })).status, 201)
  assert.equal((await shop.get(`/payments/byOrderId/${orderId}/status`)).body.id, payment.id)
})

test('200: many requisites are paused by one request, each with a result', async () => {
  const service = opened()
  const operator = openOperator(service)
  const { requisiteIds } = await openShop(service)
  const [first = '', second = '', retired = ''] = requisiteIds
  await operator.call('PATCH', `/requisites/${retired}`, { status: 'retired' })
  const wanted = { requisites: [first, retired, unknownId, second], status: 'paused' }
  const { status, body } = await operator.call('POST', '/requisites/statuses', wanted)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    body.requisites.map(({ state, code }: { state: string; code?: string }) => code ?? state),
    ['done', 'invalid_state', 'resource_not_found', 'done'],
  )
  assert.equal((await operator.lastAudit()).subject, `requisite:${second}`)
  const listed = (await operator.get('/requisites?status=paused&limit=500')).body.requisites
  const ids = new Set(listed.map(({ id }: { id: string }) => id))
  assert.deepEqual([ids.has(first), ids.has(second), ids.has(retired)], [true, true, false])
})

import assert from 'node:assert/strict'
import type { Context } from '../../src/engine/context.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { pauseFailingRequisites } from '../../src/engine/requisites/health/automatic-pauses.ts'
import { requisitePool } from '../../src/engine/requisites/requisite-pool.ts'
import { openOperator } from '../support/operator.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines, onOneEngine, onPostgres, type TestService } from '../support/service.ts'
import { newNumber, openShop, payIn, type Shop } from '../support/shop.ts'

/** Three payments on bank-a that expire; `paid` tells whether bank-b is paid meanwhile. Answers the two requisites. */
const failBankA = async (service: TestService, shop: Shop, paid: boolean) => {
  const made: string[] = []
  for (const amount of [1001, 1002, 1003]) {
    const { body } = await shop.create(`a-${amount}-${service.clock.now}`, { amount, bankIssuer: 'bank-a' })
    made.push(body.card.id)
  }
  service.clock.advance(20 * minute)
  const other = await shop.create(`b-${service.clock.now}`, { bankIssuer: 'bank-b' })
  service.clock.advance(11 * minute)
  await service.runJobs()
  service.clock.advance(minute)
  if (paid) await payIn(service, { requisiteId: other.body.card.id, minor: 5000_00n })
  await service.runJobs()
  return { bankA: made[0] ?? '', bankB: other.body.card.id as string }
}

onBothEngines('a requisite whose payments expire while others are paid rests until it is resumed', async (service) => {
  // In the morning of the account, so that no day ends between what is paid and what is read.
  service.clock.advance(day - ((service.clock.now + 3 * hour) % day) + 10 * hour)
  const operator = openOperator(service)
  const shop = await openShop(service, { perMethod: 2, limits: { pauseAfter: 3, dayAmount: 10_000_00n } })
  const statusOf = async (id: string) => {
    const { body } = await operator.get('/requisites')
    return body.requisites.find((each: { id: string }) => each.id === id).status
  }
  // While nobody is paid, the fault is not this requisite's.
  const { bankA, bankB } = await failBankA(service, shop, false)
  assert.equal(await statusOf(bankA), 'active')
  service.clock.advance(26 * 60 * minute)

  await failBankA(service, shop, true)
  assert.equal(await statusOf(bankA), 'paused')
  assert.equal(await statusOf(bankB), 'active')
  const audit = await operator.lastAudit()
  assert.deepEqual([audit.actor, audit.action, audit.subject], ['service', 'requisite.pause', `requisite:${bankA}`])
  assert.ok(service.logs.some((line) => line.includes('requisite paused')))
  const { pauses } = (await operator.get('/requisites/pauses?open=true')).body
  assert.equal(pauses.length, 1)
  assert.deepEqual([pauses[0].requisiteId, pauses[0].cause, pauses[0].run, pauses[0].limit], [bankA, 'expired', 6, 3])
  assertProblem(await shop.create('refused', { bankIssuer: 'bank-a' }), 409, 'requisites_unavailable')

  const { requisites } = (await operator.get('/requisites/health?method=sbp')).body
  const [first, second] = requisites
  assert.deepEqual([first.id, first.pause.cause, first.expiredRun], [bankA, 'expired', 6])
  assert.deepEqual(first.lastDay, { payments: 3, paid: 0, expired: 3, successRate: 0 })
  assert.deepEqual(first.lastWeek, { payments: 6, paid: 0, expired: 6, successRate: 0 })
  assert.deepEqual(second.lastDay, { payments: 1, paid: 1, expired: 0, successRate: 1 })
  assert.deepEqual([second.turnover.dayAmount, second.limits.dayAmount, second.room], [5000, 10_000, 5])
  assert.equal(second.holder, 'Ivan Petrov')
  const filtered = async (filters: string) =>
    (await operator.get(`/requisites/health?method=sbp&${filters}`)).body.requisites.map(
      (each: { id: string }) => each.id,
    )
  assert.deepEqual(await filtered('bankIssuer=bank-b'), [bankB])
  assert.deepEqual(await filtered(`id=${bankB}`), [bankB])
  assert.deepEqual(await filtered('status=retired'), [])
  await operator.call('PATCH', `/requisites/${bankB}`, { limits: { dayAmount: 5000 } })
  const usedUp = (await operator.get(`/requisites/health?id=${bankB}`)).body.requisites[0].nextLimit
  assert.deepEqual(usedUp, { limit: 'dayAmount', at: new Date(service.clock.now).toISOString() })
  assert.equal(second.lastPaidAt, new Date(service.clock.now).toISOString())
  assert.equal(second.lastMoneyAt, second.lastPaidAt)

  // One step back, and the run starts again.
  assert.equal((await operator.call('PATCH', `/requisites/${bankA}`, { status: 'active' })).status, 200)
  await service.runJobs()
  assert.equal(await statusOf(bankA), 'active')
  assert.deepEqual((await operator.get('/requisites/pauses?open=true')).body.pauses, [])
  const ended = (await operator.get('/requisites/pauses')).body.pauses[0]
  assert.equal(ended.endedAt, new Date(service.clock.now).toISOString())
  const resumed = (await operator.get('/requisites/health?method=sbp')).body.requisites[0]
  assert.deepEqual([resumed.expiredRun, resumed.pause], [0, undefined])
})

onOneEngine('a requisite that strangers pay to rests, unless it is the last of its kind', async (service) => {
  const operator = openOperator(service)
  const shop = await openShop(service, { perMethod: 2, limits: { pauseAfter: 2 } })
  const [first = '', second = ''] = shop.requisiteIds
  const strangers = async (requisiteId: string) => {
    for (const minor of [77_00n, 78_00n])
      await payIn(service, { requisiteId, minor: minor + BigInt(service.clock.now % 50) })
    await service.runJobs()
  }
  // Whose number the bank does not report is one sender by the name.
  for (const minor of [75_00n, 76_00n])
    await payIn(service, { requisiteId: first, minor, senderName: 'Мария Ивановна П.' })
  // Anybody can forge what a phone reports.
  const phone = await openPhone(service, [first])
  for (const from of ['АННА А.', 'БОРИС Б.']) await phone.sms(creditOf(service, 70, null, { from }))
  await service.runJobs()
  assert.deepEqual((await operator.get('/requisites/pauses')).body.pauses, [])
  await strangers(first)
  await strangers(second)
  const { pauses } = (await operator.get('/requisites/pauses')).body
  assert.deepEqual(
    pauses.map((each: { requisiteId: string; cause: string }) => [each.requisiteId, each.cause]),
    [[first, 'unmatched']],
  )
  await operator.call('PATCH', `/requisites/${first}`, { status: 'retired' })
  assert.deepEqual((await operator.get('/requisites/pauses?open=true')).body.pauses, [])
})

onOneEngine('one merchant whose payers do not pay pauses no shared requisite; several do', async (service) => {
  const flood = await openShop(service, { perMethod: 0 })
  const honest = await openShop(service, { perMethod: 0 })
  const shared = (bankIssuer: string) => ({
    ...({ merchantId: null, mode: 'live', method: 'sbp', currency: 'rub', transferScope: null } as const),
    ...{ bankIssuer, holder: 'Ivan Petrov', number: newNumber('sbp'), limits: { pauseAfter: 4 } },
  })
  const [bankA] = await service.context.transaction((tx) => addRequisites(tx, [shared('bank-a'), shared('bank-b')]))
  const expire = async (orders: readonly (readonly [Shop, amount: number])[]) => {
    for (const [shop, amount] of orders)
      assert.equal((await shop.create(`a-${amount}`, { amount, bankIssuer: 'bank-a' })).status, 201)
    service.clock.advance(20 * minute)
    const amount = 3000 + orders.length
    const other = await honest.create(`b-${amount}`, { amount, bankIssuer: 'bank-b' })
    service.clock.advance(11 * minute)
    await service.runJobs()
    service.clock.advance(minute)
    await payIn(service, { requisiteId: other.body.card.id, minor: BigInt(amount) * 100n })
    await service.runJobs()
    const { pauses } = (await openOperator(service).get('/requisites/pauses?open=true')).body
    return pauses.map((each: { requisiteId: string; run: number }) => [each.requisiteId, each.run])
  }
  const many = Array.from({ length: 8 }, (_, index) => [flood, 1001 + index] as const)
  assert.deepEqual(await expire([...many, [honest, 2001]]), [])
  assert.deepEqual(await expire([[honest, 2002]]), [[bankA, 10]])
})

onOneEngine('neither one sender nor amounts that no payment has pause a requisite', async (service) => {
  const shop = await openShop(service, { perMethod: 2, limits: { pauseAfter: 2, minAmount: 100_00n } })
  const [requisiteId = ''] = shop.requisiteIds
  const operator = openOperator(service)
  const send = async (minor: bigint, ...senders: string[]) => {
    for (const [index, sender] of senders.entries())
      await payIn(service, { requisiteId, minor: minor + BigInt(index), sender: `+7900000000${sender}` })
    await service.runJobs()
    return (await operator.get('/requisites/pauses?open=true')).body.pauses.length
  }
  assert.equal(await send(9_00n, '1', '2', '3'), 0)
  assert.equal(await send(700_00n, ...Array<string>(12).fill('4')), 0)
  assert.equal(await send(800_00n, '5'), 1)
})

onPostgres('several nodes that pause at once leave one requisite of a kind active', async (service) => {
  const { context } = service
  const shop = await openShop(service, { perMethod: 2, limits: { pauseAfter: 2 } })
  for (const requisiteId of shop.requisiteIds.slice(0, 2))
    for (const minor of [71_00n, 72_00n]) await payIn(service, { requisiteId, minor })
  // Every node decides by what it remembers: that both are active.
  const pool = await context.catalog.get(requisitePool)
  const get = (asked: typeof requisitePool) =>
    asked === requisitePool ? Promise.resolve(pool) : context.catalog.get(asked)
  const remembered = { get, invalidate: () => undefined }
  const node: Context = { ...context, catalog: remembered as unknown as Context['catalog'] }
  const paused = [await pauseFailingRequisites(node), await pauseFailingRequisites(node)]
  assert.deepEqual(paused, [1, 0])
})

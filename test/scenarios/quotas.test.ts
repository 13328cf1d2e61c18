// What one merchant or one user may hold, so that others find accounts (docs/domain.md §3.5).
import assert from 'node:assert/strict'
import { minute } from '../../src/rules/time.ts'
import type { RequisiteLimits } from '../../src/rules/requisites/requisite.ts'
import { createPayments } from '../../src/engine/payments/create-payments.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { assertHealthy, onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { type Answer, newNumber, openShop, payIn, type Shop } from '../support/shop.ts'
import { openOperator } from '../support/operator.ts'

const addShared = ({ context }: TestService, count: number, limits = {}): Promise<readonly string[]> =>
  context.transaction((tx) =>
    addRequisites(
      tx,
      Array.from({ length: count }, () => ({
        ...({ merchantId: null, mode: 'live', method: 'sbp', currency: 'rub', transferScope: null } as const),
        ...{ bankIssuer: 'bank-a', holder: 'Ivan Petrov', number: newNumber('sbp'), limits },
      })),
    ),
  )

const created = (answers: readonly Answer[]): number => answers.filter(({ status }) => status === 201).length

const createMany = async (shop: Shop, count: number, fields: Record<string, unknown> = {}): Promise<Answer[]> => {
  const answers: Answer[] = []
  for (let index = 0; index < count; index++) answers.push(await shop.create(`many-${index}`, fields))
  return answers
}

onBothEngines('one merchant cannot take the last free shared account of an amount', async (service) => {
  const greedy = await openShop(service, { perMethod: 0 })
  const other = await openShop(service, { perMethod: 0 })
  await addShared(service, 8)
  const answers = [
    ...(await createMany(greedy, 4)),
    ...(await Promise.all(Array.from({ length: 8 }, (_, index) => greedy.create(`at-once-${index}`)))),
  ]
  assert.equal(created(answers), 6)
  const refused = answers.find(({ status }) => status === 409)
  assert.equal(refused?.body.code, 'requisites_unavailable')
  const after = await greedy.create('again')
  assert.match(
    after.body.detail,
    /^Of the 8 receiving accounts that fit, 6 already hold .*, 2 are left to other merchants, /,
  )
  assert.ok(Number(after.headers.get('retry-after')) > 60 * 60)
  // Another amount is another matter, and the others find their accounts.
  assert.equal((await greedy.create('another', { amount: 5001 })).status, 201)
  assert.equal(created(await createMany(other, 2)), 2)
  await assertHealthy(service)
})

onOneEngine(
  'a user whose creates of one moment are too many may repeat them when the others are over',
  async (service) => {
    const shop = await openShop(service, { perMethod: 3, settings: { maxHeldPerUser: 2 } })
    const answers = await createPayments(
      service.context,
      ['a', 'b', 'c'].map((orderId) => {
        const request = {
          type: 'direct',
          amount: '5000',
          orderId,
          userId: 'user',
          currency: 'rub',
          method: 'sbp',
        } as const
        return { merchantId: shop.merchantId, request }
      }),
    )
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ['created', 'created', 'refused'],
    )
    const [, , last] = answers
    assert.ok(last?.kind === 'refused')
    assert.deepEqual(
      [last.refusal.code, last.refusal.details],
      ['too_many_open_payments', { retryAfterSeconds: 105 * 60 }],
    )
  },
)

onOneEngine('a merchant that has the pool to itself may take all of it', async (service) => {
  const shop = await openShop(service, { perMethod: 0 })
  await openShop(service, { perMethod: 0, settings: { ownRequisitesOnly: true } })
  await openShop(service, { perMethod: 0, mode: 'sandbox' })
  await addShared(service, 4)
  assert.equal(created(await createMany(shop, 4)), 4)
})

onOneEngine('staged payments share only accounts of the fair share', async (service) => {
  const greedy = await openShop(service, { perMethod: 0 })
  await openShop(service, { perMethod: 0 })
  await addShared(service, 2)
  const answers = await createMany(greedy, 20, { type: 'staged' })
  assert.equal(created(answers), 20)
  assert.equal(new Set(answers.map(({ body }) => body.card.id)).size, 1)
})

onOneEngine('one merchant never fills an amount that all share on the only account', async (service) => {
  const greedy = await openShop(service, { perMethod: 0 })
  const other = await openShop(service, { perMethod: 0 })
  await addShared(service, 1)
  assert.equal(created(await createMany(greedy, 45, { type: 'staged' })), 37)
  assert.equal(created(await createMany(other, 5, { type: 'staged' })), 5)
})

onBothEngines(
  'a user holds at most ten amounts, canceled and expired ones included, until it pays',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const create = (index: number, userId = 'user') =>
      shop.create(`${userId}-${index}`, { amount: 1000 + index, userId })
    const inTurn: Answer[] = []
    for (let index = 0; index < 6; index++) {
      inTurn.push(await create(index))
      await shop.post('/payments/byOrderId/cancel', { orderId: `user-${index}` })
    }
    const atOnce = await Promise.all(Array.from({ length: 8 }, (_, index) => create(10 + index)))
    assert.equal(created([...inTurn, ...atOnce]), 10)
    const refused = await create(30)
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_open_payments'])
    assert.equal(refused.headers.get('retry-after'), String(105 * 60))
    assert.equal((await create(50, 'somebody else')).status, 201)
    assert.equal((await shop.create('nobody', { amount: 2000 })).status, 201)
    // What is paid no longer counts, nor what is canceled without having been shown.
    const paid = atOnce.find(({ status }) => status === 201)?.body
    await payIn(service, { requisiteId: paid.card.id, minor: BigInt(paid.payment.amount) * 100n })
    assert.equal((await create(31)).status, 201, 'one has paid')
    assert.equal((await create(32)).status, 429)
    service.clock.advance(105 * minute)
    await service.runJobs()
    assert.equal((await create(33)).status, 201)
    await assertHealthy(service)
  },
)

onOneEngine('the quota of a user can be changed and removed', async (service) => {
  const shop = await openShop(service, { perMethod: 1, settings: { maxHeldPerUser: 1 } })
  const create = (index: number) => shop.create(`order-${index}`, { amount: 1000 + index, userId: 'user' })
  assert.deepEqual([(await create(0)).status, (await create(1)).status], [201, 429])
  const settings = { maxHeldPerUser: null }
  await openOperator(service).call('PATCH', `/merchants/${shop.merchantId}`, { settings })
  for (let index = 2; index < 15; index++) assert.equal((await create(index)).status, 201)
})

onOneEngine(
  'a new merchant may have 10,000 open payments, unless it is set to none or another number',
  async (service) => {
    const operator = openOperator(service)
    const { body } = await operator.call('POST', '/merchants', { name: 'New', mode: 'live' })
    assert.equal(body.settings.maxOpenPayments, 10_000)
    const unlimited = await operator.call('PATCH', `/merchants/${body.id}`, { settings: { maxOpenPayments: null } })
    assert.equal(unlimited.body.settings.maxOpenPayments, null)
  },
)

const freeCreates: readonly [title: string, limits: Partial<RequisiteLimits>, creates: number][] = [
  ['9 free creates do not use up 9 open payments', { openPayments: 9 }, 9],
  ['15 free creates do not use up 15 payments of a day', { dayCount: 15 }, 15],
  ['3 free creates do not use up a sum of a day', { dayAmount: 30_000_00n }, 3],
]
for (const [title, limits, creates] of freeCreates) {
  onOneEngine(title, async (service) => {
    const greedy = await openShop(service, { perMethod: 0 })
    const other = await openShop(service, { perMethod: 0 })
    await addShared(service, 1, limits)
    for (let index = 0; index < creates; index++) await greedy.create(`free-${index}`, { amount: 9_990 + index })
    assert.equal((await other.create('honest', { amount: 5000 })).status, 201)
    await assertHealthy(service)
  })
}

onBothEngines('money uses up the limits of an account, whoever else waits', async (service) => {
  const shop = await openShop(service, { perMethod: 1, limits: { dayCount: 3, monthCount: 100 } })
  for (let index = 0; index < 3; index++) {
    const { body } = await shop.create(`paid-${index}`, { amount: 1000 + index })
    await payIn(service, { requisiteId: body.card.id, minor: BigInt(1000 + index) * 100n })
  }
  const refused = await shop.create('fourth', { amount: 2000 })
  assert.deepEqual([refused.body.code, refused.body.reason], ['requisites_unavailable', 'day-limit'])
})

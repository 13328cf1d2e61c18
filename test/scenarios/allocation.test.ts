import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import type { Context } from '../../src/engine/context.ts'
import { second } from '../../src/rules/time.ts'
import { cancelPayment } from '../../src/engine/payments/close-payments.ts'
import { createPayment } from '../../src/engine/payments/create-payments.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { startService } from '../../src/process/start-service.ts'
import { assertHealthy, onOneEngine, onPostgres, openTestService, type TestService } from '../support/service.ts'
import { openOperator } from '../support/operator.ts'
import { newNumber, openShop } from '../support/shop.ts'
import { cloneEmbedded } from '../support/templates.ts'

type Created = { readonly id: string; readonly requisiteId: string }

const createOn = async (context: Context, merchantId: string, orderId: string, amount = '5000'): Promise<Created> => {
  const request = { type: 'direct', amount, orderId, currency: 'rub', method: 'sbp' } as const
  const result = await createPayment(context, { merchantId, request })
  assert.ok(result.kind === 'created', result.kind)
  return { id: result.payment.id, requisiteId: result.requisite.id }
}

const cancel = ({ context }: TestService, merchantId: string, id: string) =>
  context.transaction((tx) =>
    cancelPayment(tx, { merchantId, id }, { actor: 'merchant', reason: 'canceled-by-merchant' }),
  )

const requisitesOf = (payments: readonly Created[]): string[] => payments.map(({ requisiteId }) => requisiteId)

const openNodes = (service: TestService, count: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      startService({ settings: service.context.settings, clock: () => service.clock.now, log: service.context.log }),
    ),
  )

onPostgres('three nodes give each payment a requisite without an open one while there is one', async (service) => {
  const { merchantId } = await openShop(service, { perMethod: 64 })
  const others = await openNodes(service, 2)
  const contexts = [service.context, ...others.map(({ context }) => context)]
  const onNode = (index: number): Context => contexts[index % 3] as Context
  try {
    const inTurn: Created[] = []
    // Equal and different amounts; the clock is not advanced, so no node reads the uses again unless it has to.
    for (let index = 0; index < 30; index++) {
      inTurn.push(await createOn(onNode(index), merchantId, `turn-${index}`, String(5000 + (index % 7))))
    }
    assert.equal(new Set(requisitesOf(inTurn)).size, 30)
    const atOnce = await Promise.all(
      Array.from({ length: 30 }, (_, index) => createOn(onNode(index), merchantId, `once-${index}`, '7000')),
    )
    assert.equal(new Set(requisitesOf([...inTurn, ...atOnce])).size, 60)
    // None is free any more for the last ones, which are created all the same.
    const last = await Promise.all(
      Array.from({ length: 6 }, (_, index) => createOn(onNode(index), merchantId, `last-${index}`, `${8000 + index}`)),
    )
    assert.equal(new Set(requisitesOf([...inTurn, ...atOnce, ...last])).size, 64)
  } finally {
    await Promise.all(others.map((other) => other.stop()))
  }
})

onOneEngine('a free shared requisite is given before the own one with an open payment', async (service) => {
  const { merchantId, requisiteIds } = await openShop(service, { perMethod: 1 })
  const shared = { merchantId: null, mode: 'live', method: 'sbp', currency: 'rub', transferScope: null } as const
  const sharedIds = await service.context.transaction((tx) =>
    addRequisites(
      tx,
      ['bank-a', 'bank-b'].map((bankIssuer) => ({
        ...{ ...shared, bankIssuer, holder: 'Ivan Petrov', number: newNumber('sbp'), limits: {} },
      })),
    ),
  )
  const created: Created[] = []
  for (let index = 0; index < 4; index++)
    created.push(await createOn(service.context, merchantId, `own-${index}`, String(5000 + index)))
  const [first, next, third, fourth] = requisitesOf(created)
  assert.ok(requisiteIds.includes(first ?? ''))
  assert.deepEqual(new Set([next, third]), new Set(sharedIds))
  // None is free: the own one again.
  assert.equal(fourth, first)
  const operator = openOperator(service)
  const only = { settings: { ownRequisitesOnly: true } }
  assert.equal((await operator.call('PATCH', `/merchants/${merchantId}`, only)).body.settings.ownRequisitesOnly, true)
  for (let index = 0; index < 4; index++) await cancel(service, merchantId, created[index]?.id ?? '')
  for (let index = 4; index < 7; index++)
    assert.equal((await createOn(service.context, merchantId, `own-${index}`, String(5000 + index))).requisiteId, first)
  // The slot of the amount is taken, and a shared one will not do.
  await assert.rejects(createOn(service.context, merchantId, 'own-8', '5004'), /refused/)
  const wish = { merchantId, method: 'sbp', currency: 'rub', amount: 5004 }
  assert.equal((await operator.call('POST', '/requisites/explain', wish)).body.counts.shared, 2)
  await assertHealthy(service)
})

onPostgres('a requisite that another node has freed is given again, the least recently used first', async (service) => {
  const { merchantId } = await openShop(service, { perMethod: 4 })
  const [other] = await openNodes(service, 1)
  assert.ok(other)
  try {
    const created: Created[] = []
    for (let index = 0; index < 4; index++) {
      service.clock.advance(second)
      created.push(await createOn(index % 2 === 0 ? service.context : other.context, merchantId, `first-${index}`))
    }
    for (const index of [2, 1]) await cancel(service, merchantId, created[index]?.id ?? '')
    service.clock.advance(second)
    const again = await createOn(other.context, merchantId, 'again', '6000')
    assert.equal(again.requisiteId, created[1]?.requisiteId)
    assert.equal((await createOn(service.context, merchantId, 'more', '6000')).requisiteId, created[2]?.requisiteId)
  } finally {
    await other.stop()
  }
})

for (const engine of ['embedded', 'postgres'] as const) {
  const skip = engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false
  test(`after a restart too, free requisites come first, the least recently used before the others [${engine}]`, {
    skip,
  }, async () => {
    const dataDir = await cloneEmbedded()
    const first = await openTestService(engine, engine === 'embedded' ? { PAYIN_DATA_DIR: dataDir } : {})
    const created: Created[] = []
    const { settings, log } = first.context
    let merchantId = ''
    try {
      merchantId = (await openShop(first, { perMethod: 4 })).merchantId
      for (let index = 0; index < 4; index++) {
        first.clock.advance(second)
        created.push(await createOn(first.context, merchantId, `before-${index}`))
      }
      for (const index of [3, 0, 1]) await cancel(first, merchantId, created[index]?.id ?? '')
    } finally {
      if (engine === 'embedded') await first.stop()
    }
    const restarted = await startService({ settings, clock: () => first.clock.now + second, log })
    try {
      const after: Created[] = []
      for (let index = 0; index < 4; index++) {
        after.push(await createOn(restarted.context, merchantId, `after-${index}`, '6000'))
      }
      assert.deepEqual(
        requisitesOf(after),
        [0, 1, 3, 2].map((index) => created[index]?.requisiteId),
      )
      await assertHealthy(restarted)
    } finally {
      await restarted.stop()
      if (engine === 'postgres') await first.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
}

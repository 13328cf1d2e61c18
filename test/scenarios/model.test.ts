// The same random actions for the service and for the rules alone: both must end with the same payments.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paymentMethods } from '../../src/rules/values/payment-method.ts'
import { Refusal } from '../../src/rules/refusal.ts'
import { cancelPayment, expirePayments } from '../../src/engine/payments/close-payments.ts'
import { claimPayment } from '../../src/engine/payments/payer-changes.ts'
import { createPayments } from '../../src/engine/payments/create-payments.ts'
import { getPayments } from '../../src/engine/payments/read.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { type Action, anyAction, anyTerms, startWorld, type World } from '../support/model-world.ts'
import { assertHealthy, type Engine, engines, openTestService, type TestService } from '../support/service.ts'
import { openShop } from '../support/shop.ts'
import { countOf, givenToFastCheck, isTorture } from '../support/torture.ts'

/** The embedded engine takes three times as long for one. */
const runsOn: Readonly<Record<Engine, number>> = { embedded: countOf(40), postgres: countOf(100) }
const perMethod = 2

const create = async (service: TestService, world: World, merchantId: string, action: Action): Promise<void> => {
  assert.ok(action.kind === 'create')
  const [result] = await createPayments(service.context, [
    {
      merchantId,
      request: {
        type: action.staged ? 'staged' : 'direct',
        amount: String(Number(action.amount) / 100),
        orderId: `order-${world.payments.size + 1}`,
        currency: 'rub',
        method: 'sbp',
      },
    },
  ])
  if (result?.kind === 'refused') {
    assert.equal(result.refusal.code, 'requisites_unavailable')
    assert.equal(world.create(action), undefined, 'refused though a slot was free')
    return
  }
  assert.equal(result?.kind, 'created')
  assert.ok(result)
  const { id, requisiteId } = result.payment
  assert.ok(world.create(action, { id, requisiteId }))
}

const cancel = async ({ context }: TestService, merchantId: string, id: string): Promise<boolean> => {
  const by = { actor: 'merchant', reason: 'canceled-by-merchant' } as const
  try {
    await context.transaction((tx) => cancelPayment(tx, { merchantId, id }, by))
    return true
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'invalid_state', String(error))
    return false
  }
}

const play = async (service: TestService, world: World, merchantId: string, action: Action): Promise<void> => {
  const { context } = service
  const target = 'pick' in action ? world.pickPayment(action.pick) : undefined
  switch (action.kind) {
    case 'create':
      return create(service, world, merchantId, action)
    case 'claim':
      if (!target) return
      await claimPayment(context, merchantId, target.id)
      world.claim(target)
      return
    case 'cancel':
      if (target) assert.equal(await cancel(service, merchantId, target.id), world.cancel(target))
      return
    case 'pay': {
      const report = world.report(action.rows)
      const recorded = await context.transaction((tx) => recordTransfers(tx, report))
      assert.deepEqual(
        recorded.map(({ alreadyKnown, outcome, kind, paymentId }) => ({ alreadyKnown, outcome, kind, paymentId })),
        world.pay(report),
      )
      return
    }
    case 'wait':
      world.now += action.ms
      service.clock.now = world.now
      return
    case 'expire':
      while ((await expirePayments(context)) > 0);
      world.expire()
  }
}

for (const engine of engines) {
  const runs = runsOn[engine]
  const skip = engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false
  test(`in ${runs} random sequences the service does what the rules say [${engine}]`, { skip }, async () => {
    const service = await openTestService(engine)
    let worlds = 0
    try {
      await fc.assert(
        fc.asyncProperty(
          anyTerms,
          fc.array(anyAction, { minLength: 3, maxLength: 15, size: 'max' }),
          async (terms, actions) => {
            worlds++
            const { minMinor, maxMinor, ...given } = terms
            const shop = await openShop(service, { terms: given, perMethod })
            const sbp = paymentMethods.indexOf('sbp') * perMethod
            const world = startWorld(terms, shop.requisiteIds.slice(sbp, sbp + perMethod), service.clock.now)
            for (const action of actions) await play(service, world, shop.merchantId, action)
            const keys = [...world.payments.keys()].map((_, index) => ({
              merchantId: shop.merchantId,
              orderId: `order-${index + 1}`,
            }))
            const stored = await getPayments(service.context, keys)
            const shown = (payments: typeof stored) =>
              payments.map((each) => [
                each?.id,
                each?.status,
                each?.statusReason,
                each?.sequence,
                each?.received,
                each?.finalAmount,
              ])
            assert.deepEqual(shown(stored), shown([...world.payments.values()]))
            world.check()
          },
        ),
        { numRuns: runs, ...givenToFastCheck },
      )
      if (isTorture) console.log(`model ${engine}: ${worlds} worlds`)
      await service.runJobs()
      await assertHealthy(service)
    } finally {
      await service.stop()
    }
  })
}

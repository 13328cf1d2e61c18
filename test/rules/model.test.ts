import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  creditedStatuses,
  type Payment,
  type PaymentStatus,
  paymentStatuses,
} from '../../src/rules/payments/payment.ts'
import { start } from '../support/builders.ts'
import { type Action, anyAction, anyTerms, startWorld, type World } from '../support/model-world.ts'
import { countOf, givenToFastCheck, isTorture } from '../support/torture.ts'

const runs = countOf(5000)

const play = (world: World, action: Action): void => {
  switch (action.kind) {
    case 'create':
      world.create(action)
      return
    case 'claim':
    case 'cancel': {
      const payment = world.pickPayment(action.pick)
      if (payment) world[action.kind](payment)
      return
    }
    case 'pay':
      world.pay(world.report(action.rows))
      return
    case 'wait':
      world.now += action.ms
      return
    case 'expire':
      world.expire()
  }
}

const seen = new Set<PaymentStatus>()

test(`in ${runs} random worlds no money is lost, no slot is shared and every change is in the table`, () => {
  let worlds = 0
  fc.assert(
    fc.property(anyTerms, fc.array(anyAction, { maxLength: 40, size: 'max' }), (terms, actions) => {
      worlds++
      const world = startWorld(terms, ['r1', 'r2'], start)
      for (const action of actions) {
        const before = new Map<string, Payment>(world.payments)
        play(world, action)
        for (const [id, after] of world.payments) {
          const former = before.get(id)
          if (!former || former === after) continue
          assert.ok(after.received >= former.received && after.sequence >= former.sequence)
          assert.ok(!creditedStatuses.has(former.status) || former.status === after.status)
        }
        world.check()
      }
      for (const payment of world.payments.values()) seen.add(payment.status)
    }),
    { numRuns: runs, ...givenToFastCheck },
  )
  if (isTorture) console.log(`rules: ${worlds} worlds`)
})

test('the worlds reached every status that needs no operator', () => {
  const reached = paymentStatuses.filter((status) => status !== 'failed')
  assert.deepEqual([...seen].toSorted(), reached.toSorted())
})

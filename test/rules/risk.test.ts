import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  breakVelocity,
  isBlocking,
  type PayerUse,
  type RiskBlock,
  type VelocityRule,
} from '../../src/rules/merchants/risk.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { start } from '../support/builders.ts'

const block = (fields: Partial<RiskBlock> = {}): RiskBlock => ({
  id: 'block',
  kind: 'phone',
  merchantId: null,
  payerIndex: 'index',
  valueMasked: '•••• 4567',
  reason: 'test',
  createdBy: 'operator:test',
  createdAt: start,
  endsAt: null,
  endedAt: null,
  ...fields,
})

const rule = (fields: Partial<VelocityRule> = {}): VelocityRule => ({
  id: 'rule',
  kind: 'user',
  merchantId: null,
  windowMs: hour,
  maxCount: null,
  currency: null,
  maxAmount: null,
  reason: 'test',
  createdBy: 'operator:test',
  createdAt: start,
  endedAt: null,
  ...fields,
})

let payments = 0
const use = (fields: Partial<PayerUse> = {}): PayerUse => ({
  merchantId: 'merchant',
  paymentId: `payment-${++payments}`,
  mode: 'live',
  currency: 'rub',
  amount: 100n,
  at: start,
  ...fields,
})

test('a block refuses whom it concerns, until it ends', () => {
  assert.equal(isBlocking(block(), 'merchant', start), true)
  assert.equal(isBlocking(block({ merchantId: 'merchant' }), 'merchant', start), true)
  assert.equal(isBlocking(block({ merchantId: 'other' }), 'merchant', start), false)
  assert.equal(isBlocking(block({ endsAt: start + 1 }), 'merchant', start), true)
  assert.equal(isBlocking(block({ endsAt: start }), 'merchant', start), false)
  assert.equal(isBlocking(block({ endedAt: start }), 'merchant', start), false)
})

type Case = readonly [title: string, broken: boolean, rule: Partial<VelocityRule>, before: PayerUse[]]

const cases: readonly Case[] = [
  ['the first of one', false, { maxCount: 1 }, []],
  ['the second of one', true, { maxCount: 1 }, [use()]],
  ['the second of two', false, { maxCount: 2 }, [use()]],
  ['one just inside the window', true, { maxCount: 1 }, [use({ at: start - hour + 1 })]],
  ['one exactly a window ago', false, { maxCount: 1 }, [use({ at: start - hour })]],
  ['one that another node dated ahead', true, { maxCount: 1 }, [use({ at: start + 5 })]],
  ['one that a clock dated a window ahead', true, { maxCount: 1 }, [use({ at: start + hour })]],
  ['one that a clock dated further ahead', false, { maxCount: 1 }, [use({ at: start + hour + 3 * minute })]],
  ['one of another merchant, for all', true, { maxCount: 1 }, [use({ merchantId: 'other' })]],
  ['one of another merchant, for one', false, { maxCount: 1, merchantId: 'merchant' }, [use({ merchantId: 'other' })]],
  ['one of the sandbox', false, { maxCount: 1 }, [use({ mode: 'sandbox' })]],
  ['the wanted one itself', false, { maxCount: 1 }, [use({ paymentId: 'wanted' })]],
  ['a sum that is reached', false, { currency: 'rub', maxAmount: 200n }, [use()]],
  ['a sum that is passed', true, { currency: 'rub', maxAmount: 199n }, [use()]],
  ['a sum that one payment passes', true, { currency: 'rub', maxAmount: 99n }, []],
  ['a sum in another currency', false, { currency: 'kzt', maxAmount: 1n }, [use()]],
  ['money of another currency', false, { currency: 'rub', maxAmount: 199n }, [use({ currency: 'kzt' })]],
  ['a count without the sum', true, { maxCount: 1, currency: 'rub', maxAmount: 9999n }, [use()]],
]

for (const [title, broken, fields, before] of cases) {
  test(`velocity: ${title} ${broken ? 'breaks the rule' : 'is allowed'}`, () => {
    const finding = breakVelocity(rule(fields), before, use({ paymentId: 'wanted' }))
    assert.equal(finding !== undefined, broken)
  })
}

test('a finding says what was found and what is allowed, money as text', () => {
  const counted = breakVelocity(rule({ maxCount: 1 }), [use()], use())
  assert.deepEqual(counted?.explanation, { windowMs: hour, reason: 'test', count: 2, maxCount: 1 })
  const summed = breakVelocity(rule({ currency: 'rub', maxAmount: 150n }), [use()], use())
  const amounts = { currency: 'rub', amountMinor: '200', maxAmountMinor: '150' }
  assert.deepEqual(summed?.explanation, { windowMs: hour, reason: 'test', ...amounts })
})

test('whatever payers try, no window ever holds more than the rule allows', () => {
  const attempt = fc.record({ waitMs: fc.constantFrom(0, 1, 20, 49, 50, 51, 200), amount: fc.bigInt(1n, 60n) })
  fc.assert(
    fc.property(
      fc.array(attempt, { maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      fc.bigInt(1n, 120n),
      (attempts, maxCount, maxAmount) => {
        const limit = rule({ windowMs: 100, maxCount, currency: 'rub', maxAmount })
        const made: PayerUse[] = []
        let at = start
        for (const { waitMs, amount } of attempts) {
          at += waitMs
          const wanted = use({ at, amount })
          if (!breakVelocity(limit, made, wanted)) made.push(wanted)
        }
        for (const { at: end } of made) {
          const inside = made.filter((each) => each.at > end - 100 && each.at <= end)
          assert.ok(inside.length <= maxCount)
          assert.ok(inside.reduce((sum, each) => sum + each.amount, 0n) <= maxAmount)
        }
      },
    ),
  )
})

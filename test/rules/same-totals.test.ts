import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSameTotals, type Money } from '../../src/rules/statements/same-totals.ts'

/** Money by its amounts; a negative one names who is on the other side. */
const money = (...amounts: readonly number[]): Money<number>[] =>
  amounts.map((amount, id) => ({ id, amount: BigInt(Math.abs(amount)), isNamed: amount < 0 }))

for (const [title, own, others, found] of [
  ['the same total in another number is the same money', [-30, -30, -30], [90], { 0: 0, 1: 0, 2: 0 }],
  ['in either direction', [90], [-30, -30, -30], { 0: 0 }],
  ['in the same number it is not', [-30, -60], [-40, -50], {}],
  ['parts of a sum are found next to other money', [-350, -70, -550], [900], { 0: 0, 2: 0 }],
  ['and so is the sum of some', [-70, 900], [-350, -20, -550], { 1: 0 }],
  ['one that names somebody is no sum', [-70, -900], [-350, -20, -550], {}],
  ['an equal amount is no sum', [90, 5], [90], {}],
  ['no money is no sum', [90, 5], [], {}],
] as const) {
  test(title, () => {
    assert.deepEqual(Object.fromEntries(findSameTotals(money(...own), money(...others))), found)
  })
}

test('among many amounts nothing is looked for', () => {
  const many = Array.from({ length: 17 }, (_, index) => -(index + 1))
  assert.equal(findSameTotals(money(...many), money(3)).size, 0)
  assert.equal(findSameTotals(money(...many.slice(0, 16)), money(3)).size, 2)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPaidByRate } from '../../src/rules/payments/paid-shares.ts'

// Favoured payments and how many of them were paid, the others, whether that is by the rate: by 20 points at least.
const rows = [
  ['as often', 100, 60, 1000, 600, false],
  ['far more often', 100, 90, 1000, 500, true],
  ['more often, but by less than the threshold', 1000, 600, 1000, 450, false],
  ['so few that it may be chance', 30, 21, 30, 15, false],
  ['too few to say', 29, 29, 1000, 100, false],
  ['less often', 100, 10, 1000, 900, false],
  ['all of them are paid', 100, 100, 100, 100, false],
] as const

for (const [title, favoured, favouredPaid, others, othersPaid, expected] of rows) {
  test(`payments whose rate moved for the payer are paid ${title}: ${expected}`, () =>
    assert.equal(isPaidByRate({ favoured, favouredPaid, others, othersPaid }, 20), expected))
}

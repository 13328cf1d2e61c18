import assert from 'node:assert/strict'
import { test } from 'node:test'
import { priceCredit, worthOf } from '../../src/rules/payments/credit.ts'
import type { LockedTerms } from '../../src/rules/merchants/merchant.ts'
import { payment } from '../support/builders.ts'

const price = (units: number): bigint => BigInt(units) * 100_000_000n

type Row = readonly [
  title: string,
  credited: bigint,
  inTime: bigint,
  current: number,
  expected: string,
  terms?: Partial<LockedTerms>,
  before?: number,
]

// Payments of 8000.00 at 80, so worth 100 USDT. Expected: the part at 80, the price of the rest, and the worth in USDT.
const rows: readonly Row[] = [
  ['exact and in time', 8000_00n, 8000_00n, 95, 'all 100'],
  ['a part in time', 4000_00n, 4000_00n, 95, 'all 50'],
  ['too much, the rate moved for the payer', 9900_00n, 9900_00n, 95, '800000 95 120'],
  ['too much, the rate moved against the payer', 9600_00n, 9600_00n, 60, 'all 120'],
  ['late, the rate moved for the payer', 8000_00n, 0n, 100, '0 100 80'],
  ['late, the rate moved against the payer', 8000_00n, 0n, 60, 'all 100'],
  ['late after a part in time', 8000_00n, 4000_00n, 100, '400000 100 90'],
  ['late and too much', 10000_00n, 4000_00n, 100, '400000 100 110'],
  ['without a current rate', 9600_00n, 9600_00n, 0, 'all 120'],
  ['by the locked rate, as agreed', 9600_00n, 0n, 100, 'all 120', { ratePolicy: 'locked' }],
  ['credited again when the rate is better', 8000_00n, 0n, 80, '0 100 80', {}, 100],
]

for (const [title, credited, inTime, current, expected, terms, before] of rows) {
  test(`price of a credit: ${title}`, () => {
    const made = payment({ amount: 8000_00n, ratePrice: price(80), laterPrice: before ? price(before) : null }, terms)
    const priced = priceCredit(made, { credited, inTime }, price(current))
    const { lockedPart, laterPrice } = priced
    const how = laterPrice === null ? 'all' : `${lockedPart} ${laterPrice / 100_000_000n}`
    assert.equal(`${how} ${worthOf({ ...made, ...priced }, credited) / 1_000_000n}`, expected)
  })
}

test('what is left after a reversal is worth the locked rate up to the amount that was', () => {
  const credited = payment({ ratePrice: price(80), lockedPart: 4000_00n, laterPrice: price(100) })
  assert.deepEqual(
    [10_000_00n, 5000_00n, 4000_00n, 1000_00n].map((left) => worthOf(credited, left)),
    [110_000_000n, 60_000_000n, 50_000_000n, 12_500_000n],
  )
})

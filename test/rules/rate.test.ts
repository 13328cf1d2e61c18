import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maxMinor } from '../../src/rules/values/currency.ts'
import { minute } from '../../src/rules/time.ts'
import { isRateUsable, isWithinBand, quoteAmount, type Rate } from '../../src/rules/money/rate.ts'

const quoted: readonly (readonly [minor: bigint, decimals: number, price: bigint, quote: bigint])[] = [
  [5000_00n, 2, 92_50000000n, 54_054054n],
  [5000_37n, 2, 92_50000000n, 54_058054n],
  [92_50n, 2, 92_50000000n, 1_000000n],
  [92_49n, 2, 92_50000000n, 999891n],
  [1n, 2, 92_50000000n, 108n],
  [1n, 2, 10_000_00000000n, 1n],
  [1n, 2, 10_000_00000001n, 0n],
  [5001n, 0, 155_12345678n, 32_238838n],
  [1000n, 3, 30000000n, 3_333333n],
]

for (const [minor, decimals, price, quote] of quoted) {
  test(`${minor} minor units at ${price} are ${quote} quote units`, () =>
    assert.equal(quoteAmount(minor, decimals, price), quote))
}

test('the quote is the floor of the exact quotient: no unit more, no unit less', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: maxMinor }),
      fc.constantFrom(0, 2, 3),
      fc.bigInt({ min: 1n, max: 10n ** 14n }),
      (minor, decimals, price) => {
        const quote = quoteAmount(minor, decimals, price)
        // quote ÷ 10^6 ≤ (minor ÷ 10^decimals) ÷ (price ÷ 10^8) < (quote + 1) ÷ 10^6, multiplied out.
        const exact = minor * 10n ** 8n * 10n ** 6n
        const unit = price * 10n ** BigInt(decimals)
        assert.ok(quote * unit <= exact)
        assert.ok(exact < (quote + 1n) * unit)
      },
    ),
    { numRuns: 10_000 },
  )
})

const bands: readonly (readonly [last: bigint, next: bigint, within: boolean])[] = [
  [100n, 100n, true],
  [100n, 120n, true],
  [100n, 121n, false],
  [100n, 80n, true],
  [100n, 79n, false],
  [92_50000000n, 111_00000000n, true],
  [92_50000000n, 111_00000001n, false],
  [1n, 2n, false],
]

for (const [last, next, within] of bands) {
  test(`a price of ${next} after ${last} is ${within ? 'within' : 'outside'} the band`, () =>
    assert.equal(isWithinBand(last, next), within))
}

const rate: Rate = { currency: 'rub', price: 1n, createdAt: 0, source: 'test', validUntil: 1000 }
const usable: readonly (readonly [validUntil: number | null, now: number, usable: boolean])[] = [
  [1000, 999, true],
  [1000, 1000, false],
  [null, 10 ** 15, true],
]

for (const [validUntil, now, expected] of usable) {
  test(`a rate valid until ${validUntil} is ${expected ? '' : 'not '}used at ${now}`, () =>
    assert.equal(isRateUsable({ ...rate, validUntil }, now), expected))
}

test('a rate that is dated further ahead than clocks differ is not used', () => {
  const at = (createdAt: number) => isRateUsable({ ...rate, createdAt, validUntil: null }, 0)
  assert.deepEqual([at(2 * minute), at(2 * minute + 1)], [true, false])
})

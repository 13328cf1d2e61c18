import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { currencyDecimals, maxMinor } from '../../src/rules/values/currency.ts'
import { minute } from '../../src/rules/time.ts'
import { isRateUsable, isWithinBand, priceOfSame, quoteAmount, type Rate, rateFor } from '../../src/rules/money/rate.ts'

const quoted: readonly (readonly [minor: bigint, currency: string, price: bigint, quote: bigint, of?: string])[] = [
  [5000_00n, 'rub', 92_50000000n, 54_054054n],
  [5000_37n, 'rub', 92_50000000n, 54_058054n],
  [92_50n, 'rub', 92_50000000n, 1_000000n],
  [92_49n, 'rub', 92_50000000n, 999891n],
  [1n, 'rub', 92_50000000n, 108n],
  [1n, 'rub', 10_000_00000000n, 1n],
  [1n, 'rub', 10_000_00000001n, 0n],
  [5001n, 'jpy', 155_12345678n, 32_238838n],
  [1000n, 'bhd', 30000000n, 3_333333n],
  [5000_37n, 'rub', priceOfSame, 5000_37n, 'rub'],
  [5001n, 'jpy', priceOfSame, 5001n, 'jpy'],
  [5000_37n, 'rub', 734127n, 681131_46n, 'uzs'],
  [1000_000n, 'bhd', 242678n, 412068n, 'jpy'],
]

for (const [minor, currency, price, quote, quoteCurrency = 'USDT'] of quoted) {
  test(`${minor} minor units of ${currency} at ${price} are ${quote} of ${quoteCurrency}`, () =>
    assert.equal(quoteAmount(minor, { currency, quoteCurrency }, price), quote))
}

test('the quote is the floor of the exact quotient: no unit more, no unit less', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: maxMinor }),
      fc.constantFrom('jpy', 'rub', 'bhd'),
      fc.constantFrom('jpy', 'rub', 'bhd', 'USDT'),
      fc.bigInt({ min: 1n, max: 10n ** 14n }),
      (minor, currency, quoteCurrency, price) => {
        const quote = quoteAmount(minor, { currency, quoteCurrency }, price)
        // quote ÷ 10^its decimals ≤ (minor ÷ 10^decimals) ÷ (price ÷ 10^8) < (quote + 1) ÷ 10^its decimals, multiplied out.
        const exact = minor * 10n ** BigInt(8 + currencyDecimals(quoteCurrency))
        const unit = price * 10n ** BigInt(currencyDecimals(currency))
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

const at = Date.UTC(2026, 0, 1)
const rateOf = (currency: string, price: bigint, fields: Partial<Rate> = {}): Rate => ({
  ...{ currency, price, createdAt: at, source: 'exchange', validUntil: at + minute },
  ...fields,
})
const found = (all: readonly Rate[], currency: string, quoteCurrency: string, mode: 'live' | 'sandbox' = 'live') =>
  rateFor(new Map(all.map((each) => [each.currency, each])), { currency, quoteCurrency }, mode, at)

test('a currency in itself costs exactly 1, without any rate', () =>
  assert.deepEqual(found([], 'rub', 'rub'), { price: priceOfSame, createdAt: at }))

test('the rate in another currency is that of both to USDT, rounded against the merchant, and as old as the older', () => {
  const rub = rateOf('rub', 92_50000000n)
  const uzs = rateOf('uzs', 12_600_00000000n, { createdAt: at - minute })
  // 92.5 ÷ 12600 is 0.0073412698…: the more a unit costs, the fewer the merchant gets.
  assert.deepEqual(found([rub, uzs], 'rub', 'uzs'), { price: 734127n, createdAt: at - minute })
  assert.deepEqual(found([rub, uzs], 'rub', 'USDT')?.price, rub.price)
})

test('there is no rate if the quotient of two is larger than a price may be', () => {
  const [rub, least] = [rateOf('rub', 9_999_999_99999999n), rateOf('eur', 1_00000000n)]
  assert.equal(found([rub, least], 'rub', 'eur')?.price, rub.price)
  assert.equal(found([rub, { ...least, price: 99999999n }], 'rub', 'eur'), undefined)
})

test('there is no rate if one of the two lacks, has ended or is made up', () => {
  const rub = rateOf('rub', 92_50000000n)
  for (const uzs of [[], [rateOf('uzs', 1n, { validUntil: at })], [rateOf('uzs', 1n, { source: 'demo' })]]) {
    assert.equal(found([rub, ...uzs], 'rub', 'uzs'), undefined)
    assert.equal(found([rub, ...uzs], 'uzs', 'rub'), undefined)
  }
  assert.ok(found([rub, rateOf('uzs', priceOfSame, { source: 'demo' })], 'rub', 'uzs', 'sandbox'))
})

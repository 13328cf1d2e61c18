// Prices of sources in their exact digits, and the choice among sources.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addSpread,
  chooseRate,
  dayBegins,
  isPointer,
  isWithinStep,
  rangeOfDay,
  type RateBases,
  rateSourceDefaults,
  type RateSource,
  readPointer,
  readPrice,
} from '../../src/rules/money/rate-source.ts'
import { hour, minute } from '../../src/rules/time.ts'

const documents: readonly (readonly [document: string, pointer: string, found: string | undefined])[] = [
  ['{"price":92.50000001}', '/price', '92.50000001'],
  ['{"data":[{"a/b":{"~":"92.5"}}]}', '/data/0/a~1b/~0', '92.5'],
  ['92.123456789012345678', '', '92.123456789012345678'],
  ['{"price":1e2}', '/price', '1e2'],
  ['{"price":null}', '/price', undefined],
  ['{"price":{}}', '/price', undefined],
  ['{"price":92}', '/other', undefined],
  ['{"price":92}', '/price/digits/length', undefined],
  ['{}', '/constructor/name', undefined],
  ['{"price":', '/price', undefined],
]
for (const [document, pointer, found] of documents) {
  test(`${document} has at "${pointer}": ${found}`, () => assert.equal(readPointer(document, pointer), found))
}

test('a price has the digits of the document, cut off after 8 decimals', () => {
  const prices = ['92.50000001', '92.123456789012345678', '1e2', '0', '-1', 'abc', '', '9'.repeat(30)].map(readPrice)
  assert.deepEqual(prices, [92_50000001n, 92_12345678n, 100_00000000n, ...Array.from({ length: 5 }, () => undefined)])
})

test('a spread is exact and rounded down', () => {
  assert.equal(addSpread(92_50000001n, 5000), 92_96250001n)
  assert.equal(addSpread(92_50000000n, -10_000), 91_57500000n)
})

test('a step is measured from the last rate, in both directions', () => {
  const steps = [103_00000000n, 103_00000001n, 97_00000000n, 96_99999999n]
  assert.deepEqual(
    steps.map((next) => isWithinStep(100_00000000n, next, 30_000)),
    [true, false, true, false],
  )
})

test('pointers are those of RFC 6901', () => {
  assert.deepEqual(['', '/a/0', '/a~0b~1c', 'a', '/a~2', '/a~'].map(isPointer), [true, true, true, false, false, false])
})

const source = (fields: Partial<RateSource>): RateSource => ({
  id: 'a',
  currency: 'rub',
  kind: 'json',
  name: 'first',
  url: 'https://example.com/',
  pointer: '',
  fixedPrice: null,
  enabled: true,
  ...rateSourceDefaults,
  price: 92_00000000n,
  pricedAt: 0,
  heldPrice: null,
  heldSince: null,
  failingSince: null,
  lastError: null,
  nextFetchAt: 0,
  decidedAt: null,
  ...fields,
})

test('the first source by rank whose price is fresh and within its step sets the rate', () => {
  const second = source({ id: 'b', name: 'second', rank: 2, price: 93_00000000n, pricedAt: 3 * minute })
  const base = { currency: 'rub', price: 92_50000000n, createdAt: 0, source: 'first', validUntil: null }
  const bases = { last: base, dayAgo: base, agreed: { lowest: base.price, highest: base.price }, holdsFirst: true }
  const chosen = (sources: readonly RateSource[], now: number) => {
    const { set, held } = chooseRate(sources, bases, base, now)
    return [set?.source.name, set?.validUntil, held.map(({ name }) => name)]
  }
  assert.deepEqual(chosen([second, source({})], minute), ['first', 10 * minute, []])
  assert.deepEqual(chosen([second, source({})], 10 * minute), ['second', 13 * minute, []])
  assert.deepEqual(chosen([second, source({})], 15 * minute), [undefined, undefined, []])
  assert.deepEqual(chosen([second, source({ enabled: false })], minute), ['second', 13 * minute, []])
  assert.deepEqual(chosen([second, source({ price: 100_00000000n })], minute), ['second', 13 * minute, ['first']])
  // A clock that was ahead has fetched it.
  assert.deepEqual(chosen([second, source({ enabled: false })], minute - 1), [undefined, undefined, []])
  const fixed = source({ kind: 'fixed', name: 'fixed', fixedPrice: 92_00000000n })
  assert.deepEqual(chosen([fixed], 1e12), ['fixed', null, []])
  const current = { ...base, price: 92_00000000n, validUntil: 10 * minute }
  assert.equal(chooseRate([source({})], bases, current, minute).set, undefined)
})

test('a price near the last rate is held where it has moved too far from that of a day ago', () => {
  const rate = (price: bigint) => ({ currency: 'rub', price, createdAt: 0, source: 'first', validUntil: null })
  const held = (price: bigint, fields: Partial<RateSource> = {}) =>
    chooseRate(
      [source({ price, ...fields })],
      { last: rate(price), dayAgo: rate(100_00000000n), agreed: undefined, holdsFirst: true },
      undefined,
      minute,
    ).held.length
  assert.deepEqual(
    [110_00000000n, 110_00000001n, 90_00000000n, 89_99999999n].map((price) => held(price)),
    [0, 1, 0, 1],
  )
  assert.equal(held(110_00000001n, { maxDayPpm: 200_000 }), 0)
  // What it may do at once, it may do within a day.
  assert.equal(held(110_00000001n, { maxStepPpm: 150_000 }), 0)
})

test('a price must be in the band around all rates of a day; the first one waits where two people set rates', () => {
  const last = { currency: 'rub', price: 90_00000000n, createdAt: 0, source: 'first', validUntil: null }
  const held = (price: bigint, bases: Partial<RateBases>) => {
    const one = source({ price, maxStepPpm: 200_000, maxDayPpm: 200_000 })
    const all = { last, dayAgo: undefined, agreed: undefined, holdsFirst: true, ...bases }
    return chooseRate([one], all, undefined, minute).held.length === 1
  }
  const agreed = { lowest: 80_00000000n, highest: 100_00000000n }
  const prices = [79_99999999n, 80_00000000n, 96_00000000n, 96_00000001n]
  assert.deepEqual(
    prices.map((price) => held(price, { agreed })),
    [true, false, false, true],
  )
  const first = { last: undefined }
  assert.deepEqual([held(5n, first), held(5n, { ...first, holdsFirst: false })], [true, false])
})

test('overrides count for the range of a day, but for each one that only two people could set', () => {
  const at = (lowest: bigint, highest: bigint) => ({ lowest, highest })
  const others = at(100n, 105n)
  assert.deepEqual(rangeOfDay(others, [85n, 101n]), at(85n, 105n))
  assert.deepEqual(rangeOfDay(others, [119n]), at(100n, 119n))
  assert.deepEqual(rangeOfDay(others, [60n]), others)
  assert.deepEqual(rangeOfDay(others, [60n, 85n, 160n]), at(85n, 105n))
  // The lowest other rate was measured from the override: 100 is 20 % below 125.
  assert.deepEqual(rangeOfDay(others, [125n]), at(100n, 125n))
})

test('the day is measured from what an operator decided since', () => {
  const now = 100 * hour
  assert.equal(dayBegins([source({})], now), 76 * hour)
  assert.equal(dayBegins([source({ decidedAt: 70 * hour }), source({})], now), 76 * hour)
  assert.equal(dayBegins([source({ decidedAt: 90 * hour }), source({ decidedAt: 80 * hour })], now), 90 * hour)
  assert.equal(dayBegins([source({ decidedAt: 90 * hour }), source({ decidedAt: 120 * hour })], now), 90 * hour)
})

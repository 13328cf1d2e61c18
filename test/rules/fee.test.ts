import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FeePlan, noFeeCap, splitCredit } from '../../src/rules/merchants/fee.ts'

const plan = (fields: Partial<FeePlan> = {}): FeePlan => ({
  feePpm: 10_000,
  feeFixedMicro: 0n,
  feeMinMicro: 0n,
  feeMaxMicro: noFeeCap,
  ...fields,
})

const cases: readonly (readonly [what: string, gross: bigint, Partial<FeePlan>, net: bigint, fee: bigint])[] = [
  ['percent of whole units', 54_000000n, {}, 53_460000n, 540000n],
  ['percent of broken units is rounded down, the rest is the merchant’s', 54_058054n, {}, 53_517474n, 540580n],
  ['percent below one unit', 99n, {}, 99n, 0n],
  ['percent of one unit', 100n, {}, 99n, 1n],
  ['half', 1_000001n, { feePpm: 500_000 }, 500001n, 500000n],
  ['no fee', 54_058054n, { feePpm: 0 }, 54_058054n, 0n],
  ['a fixed part is added', 54_000000n, { feeFixedMicro: 250_000n }, 53_210000n, 790000n],
  ['a fixed part alone', 54_058054n, { feePpm: 0, feeFixedMicro: 1n }, 54_058053n, 1n],
  ['the least fee', 54_058054n, { feeMinMicro: 1_000_000n }, 53_058054n, 1_000000n],
  ['the least fee does not lower another', 54_058054n, { feeMinMicro: 540_580n }, 53_517474n, 540580n],
  ['the least fee is more by one unit', 54_058054n, { feeMinMicro: 540_581n }, 53_517473n, 540581n],
  ['the greatest fee', 54_058054n, { feeMaxMicro: 500_000n }, 53_558054n, 500000n],
  [
    'the greatest fee bounds percent and fixed',
    54_058054n,
    { feeFixedMicro: 2n, feeMaxMicro: 540_581n },
    53_517473n,
    540581n,
  ],
  ['a fee is never more than the credit', 5n, { feeFixedMicro: 1_000_000n }, 0n, 5n],
  ['nothing costs nothing', 0n, { feeFixedMicro: 1_000_000n, feeMinMicro: 2_000_000n }, 0n, 0n],
]

for (const [what, gross, fields, net, fee] of cases) {
  test(`${what}: ${gross} is ${net} + ${fee}`, () =>
    assert.deepEqual(splitCredit(gross, plan(fields), 'USDT'), { net, fee }))
}

test('a fee in roubles is rounded down to the kopeck, its parts being millionths of a rouble', () => {
  // 1.2345 % of 1000.01 are 12.345123…, and 0.009 more are 12.354…
  const fee = plan({ feePpm: 12_345, feeFixedMicro: 9_000n })
  assert.deepEqual(splitCredit(1000_01n, fee, 'rub'), { net: 987_66n, fee: 12_35n })
  assert.deepEqual(splitCredit(1000n, plan({ feeMinMicro: 2_000_000n }), 'jpy'), { net: 990n, fee: 10n })
  assert.deepEqual(splitCredit(1_00n, plan({ feeMinMicro: 2_000_000n }), 'rub'), { net: 0n, fee: 1_00n })
})

test('a payment from before there were plans has the percent part only', () => {
  assert.deepEqual(splitCredit(54_058054n, { feePpm: 10_000 }, 'USDT'), { net: 53_517474n, fee: 540580n })
})

test('the shares of any credit are whole, add up, and keep to the plan; more money never means less', () => {
  const anyPlan = fc
    .record({
      feePpm: fc.integer({ min: 0, max: 500_000 }),
      feeFixedMicro: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 1_000_000_000n })),
      bounds: fc.tuple(fc.bigInt({ min: 0n, max: 1_000_000_000n }), fc.bigInt({ min: 0n, max: 1_000_000_000n })),
      capped: fc.boolean(),
    })
    .map(({ bounds: [one, other], capped, ...rest }): FeePlan => {
      const [feeMinMicro, greatest] = one < other ? [one, other] : [other, one]
      return { ...rest, feeMinMicro, feeMaxMicro: capped ? greatest : noFeeCap }
    })
  fc.assert(
    fc.property(
      anyPlan,
      fc.bigInt({ min: 0n, max: 10n ** 15n }),
      fc.bigInt({ min: 0n, max: 10n ** 7n }),
      (each, gross, more) => {
        const shares = splitCredit(gross, each, 'USDT')
        assert.equal(shares.net + shares.fee, gross)
        assert.ok(shares.net >= 0n && shares.fee >= 0n)
        assert.ok(shares.fee <= each.feeMaxMicro)
        assert.ok(shares.fee >= each.feeMinMicro || shares.fee === gross)
        const larger = splitCredit(gross + more, each, 'USDT')
        assert.ok(larger.net >= shares.net && larger.fee >= shares.fee)
      },
    ),
    { numRuns: 5000 },
  )
})

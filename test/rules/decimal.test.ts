import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  currencyDecimals,
  formatDecimal,
  maxMinor,
  parseDecimal,
  toJsonNumber,
} from '../../src/rules/values/currency.ts'

const parsed: readonly (readonly [literal: string, decimals: number, value: bigint | 'precision' | 'range'])[] = [
  ['5000', 2, 500000n],
  ['5000.3', 2, 500030n],
  ['5000.37', 2, 500037n],
  ['0.1', 2, 10n],
  ['0.01', 2, 1n],
  ['1e2', 2, 10000n],
  ['1E+2', 2, 10000n],
  ['1.5e1', 2, 1500n],
  ['100.000', 2, 10000n],
  ['100.001', 2, 'precision'],
  ['100.0010', 2, 'precision'],
  ['12345e-2', 2, 12345n],
  ['12340e-3', 2, 1234n],
  ['12345e-3', 2, 'precision'],
  ['1e-7', 2, 'precision'],
  ['1e-40', 2, 'precision'],
  ['1e-999999999', 2, 'precision'],
  ['10e-4', 2, 'precision'],
  ['0', 2, 0n],
  ['-0', 2, 0n],
  ['-0.00', 2, 0n],
  ['0e999', 2, 0n],
  ['0.000000001e1', 8, 1n],
  ['-5', 2, -500n],
  ['1e309', 2, 'range'],
  ['1e40', 2, 'range'],
  ['1e-8', 8, 1n],
  ['9999999999999.99', 2, 999_999_999_999_999n],
  ['10000000000000', 2, 'range'],
  ['999999999999999', 0, 999_999_999_999_999n],
  ['1000000000000000', 0, 'range'],
  ['9007199254740993', 0, 'range'],
  ['9007199254740993', 2, 'range'],
  ['90071992547409.93', 2, 'range'],
  ['9007199254740.93', 2, 900_719_925_474_093n],
  ['1234567890123456789012345678901234567890', 2, 'range'],
  ['0.1234567890123456789012345678901234567890', 2, 'precision'],
  [`1${'0'.repeat(70)}`, 2, 'range'],
  ['100', 0, 100n],
  ['100.5', 0, 'precision'],
  ['1.234', 3, 1234n],
  ['', 2, 'range'],
  ['NaN', 2, 'range'],
  ['.5', 2, 'range'],
  ['5.', 2, 'range'],
  ['+5', 2, 'range'],
  ['0x10', 2, 'range'],
  ['1_000', 2, 'range'],
  ['５', 2, 'range'],
]

for (const [literal, decimals, value] of parsed) {
  test(`${literal.slice(0, 50)} with ${decimals} decimals reads as ${value}`, () =>
    assert.equal(parseDecimal(literal, decimals), value))
}

const formatted: readonly (readonly [value: bigint, decimals: number, text: string])[] = [
  [500037n, 2, '5000.37'],
  [500000n, 2, '5000.00'],
  [1n, 2, '0.01'],
  [0n, 2, '0.00'],
  [-1n, 2, '-0.01'],
  [-500037n, 2, '-5000.37'],
  [100n, 0, '100'],
  [1n, 8, '0.00000001'],
]

for (const [value, decimals, text] of formatted) {
  test(`${value} with ${decimals} decimals is written ${text}`, () =>
    assert.equal(formatDecimal(value, decimals), text))
}

const anyMinor = fc.bigInt({ min: 0n, max: maxMinor })
const anyDecimals = fc.constantFrom(0, 2, 3, 6, 8)

test('every amount survives its JSON number, and its text', () => {
  fc.assert(
    fc.property(fc.oneof(anyMinor, fc.bigInt({ min: 0n, max: 10_000n })), anyDecimals, (value, decimals) => {
      assert.equal(parseDecimal(JSON.stringify(toJsonNumber(value, decimals)), decimals), value)
      assert.equal(parseDecimal(formatDecimal(value, decimals), decimals), value)
    }),
    { numRuns: 20_000 },
  )
})

test('any notation of a number reads as the same amount', () => {
  fc.assert(
    fc.property(anyMinor, anyDecimals, fc.integer({ min: -8, max: 8 }), (value, decimals, power) => {
      // The point moves by `power` places and the exponent moves it back.
      const places = decimals + power
      const literal = places >= 0 ? `${formatDecimal(value, places)}e${power}` : `${value}e${-decimals}`
      assert.equal(parseDecimal(literal, decimals), value)
    }),
    { numRuns: 5000 },
  )
})

test('a number that is read is exactly the number that was written', () => {
  const digits = fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(digits, digits, fc.integer({ min: -30, max: 30 }), anyDecimals, (whole, fraction, power, decimals) => {
      const value = parseDecimal(`${whole}.${fraction}e${power}`, decimals)
      // whole.fraction × 10^power, both sides scaled by 10^60 so that everything is an integer.
      const exact = BigInt(whole + fraction) * 10n ** BigInt(60 + power - fraction.length)
      const unit = 10n ** BigInt(60 - decimals)
      if (value === 'precision') assert.notEqual(exact % unit, 0n)
      else if (value === 'range') assert.ok(exact > maxMinor * unit)
      else assert.equal(value * unit, exact)
    }),
    { numRuns: 5000 },
  )
})

const currencies: readonly (readonly [currency: string, decimals: number])[] = [
  ['rub', 2],
  ['usd', 2],
  ['kzt', 2],
  ['uzs', 2],
  ['jpy', 0],
  ['krw', 0],
  ['vnd', 0],
  ['kwd', 3],
  ['bhd', 3],
]

for (const [currency, decimals] of currencies) {
  test(`${currency} has ${decimals} decimals`, () => assert.equal(currencyDecimals(currency), decimals))
}

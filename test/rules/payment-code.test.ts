import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findCodes, paymentCode } from '../../src/rules/payments/payment-code.ts'

const toCyrillic = (code: string): string =>
  code.replace(/[ABEKMHPCTX]/g, (letter) => 'АВЕКМНРСТХ'['ABEKMHPCTX'.indexOf(letter)] ?? letter)

test('a code is found in the text in which it is typed, in Latin or Cyrillic letters of any case', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.constantFrom('', 'Перевод, ', 'за заказ №12 ', 'thanks-'), (id, before) => {
      const code = paymentCode(id)
      assert.match(code, /^[A-Z][A-Z2-9][2-9][A-Z2-9]{2}$/)
      assert.equal(paymentCode(id), code)
      for (const typed of [code, code.toLowerCase(), toCyrillic(code), toCyrillic(code).toLowerCase()]) {
        assert.ok(findCodes(`${before}${typed} спасибо`).has(code), typed)
      }
    }),
  )
})

test('neighbouring ids have different codes, and hardly any two are the same', () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `01a21eb0-6299-7000-8000-${String(index).padStart(12, '0')}`)
  const codes = new Set(ids.map(paymentCode))
  // By chance about 107 of ten thousand have a code that another one has.
  assert.ok(codes.size > 9800, String(codes.size))
})

for (const text of ['', 'Перевод по СБП', '27.11.2026 1001', 'SHOP-00306', 'K7M2XX', 'аб'])
  test(`${text || 'an empty text'} has no code`, () => assert.deepEqual(findCodes(text), new Set()))

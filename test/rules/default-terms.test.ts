import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultTerms } from '../../src/rules/merchants/merchant.ts'
import { paymentMethods } from '../../src/rules/values/payment-method.ts'
import { hour } from '../../src/rules/time.ts'

test('money may be late as long as its rail is slow', () => {
  const windows = paymentMethods.map((method) => [method, defaultTerms(method).lateWindowMs])
  assert.deepEqual(Object.fromEntries(windows), {
    'card-to-card': hour,
    sbp: hour,
    'account-to-account': 24 * hour,
    'by-phone': hour,
  })
})

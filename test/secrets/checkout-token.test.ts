import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { createCheckoutTokens } from '../../src/secrets/id-tokens.ts'

const [key1, key2] = [randomBytes(32), randomBytes(32)]
const before = createCheckoutTokens(key1)
const merchantId = '0198c0de-0000-7000-8000-0000000000a1'
const paymentId = '0198c0de-ffff-7fff-bfff-ffffffffffff'
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

suite('checkout tokens', () => {
  test('open to the ids that they were issued for, and are fit for a URL', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (merchant, payment) => {
        const token = before.issue(merchant, payment)
        assert.match(token, /^[A-Za-z0-9_-]{66}$/)
        assert.deepEqual(before.open(token), { merchantId: merchant, paymentId: payment })
      }),
    )
  })

  test('are the same each time, so that none needs to be stored', () => {
    assert.equal(before.issue(merchantId, paymentId), createCheckoutTokens(key1).issue(merchantId, paymentId))
  })

  test('do not open after any single bit flip', () => {
    const bytes = Buffer.from(before.issue(merchantId, paymentId), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.equal(before.open(flipped.toString('base64url')), undefined)
    }
  })

  test('have one spelling only: every other last character is rejected', () => {
    const token = before.issue(merchantId, paymentId)
    const opened = alphabet.split('').filter((character) => before.open(token.slice(0, -1) + character))
    assert.deepEqual(opened, [token.at(-1)])
  })

  test('other text is rejected', () => {
    const token = before.issue(merchantId, paymentId)
    for (const text of ['', token.slice(1), `${token}=`, `${token}\n`, `${token}A`, ` ${token.slice(1)}`]) {
      assert.equal(before.open(text), undefined)
    }
    assert.equal(before.open('A'.repeat(66)), undefined)
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => before.open(text) === undefined))
  })

  test('do not open under another key', () => {
    assert.equal(createCheckoutTokens(key2).open(before.issue(merchantId, paymentId)), undefined)
  })

  test('are made of lower-case UUIDs only', () => {
    for (const wrong of ['', 'x', merchantId.toUpperCase(), `${merchantId}0`, merchantId.replaceAll('-', '')]) {
      assert.throws(() => before.issue(wrong, paymentId), /lower-case UUIDs/)
      assert.throws(() => before.issue(merchantId, wrong), /lower-case UUIDs/)
    }
  })
})

import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createKeyedHash } from '../../src/secrets/keyed-hash.ts'

test('a keyed hash is the HMAC-SHA256 of the content, whatever its length and letters', () => {
  const key = randomBytes(32)
  const keyed = createKeyedHash(key)
  const texts = [
    '',
    'a',
    'заказ-17',
    '😀'.repeat(200),
    '\ud800 half a pair',
    'x'.repeat(512),
    'я'.repeat(512),
    'x'.repeat(5000),
  ]
  const contents = [...texts, ...[0, 1, 33, 511, 512, 513, 70_000].map((length) => randomBytes(length))]
  for (const content of contents) {
    const expected = createHmac('sha256', key).update(content).digest()
    assert.equal(keyed(content, 'base64url'), expected.toString('base64url'))
    assert.equal(keyed(content, 'binary'), expected.toString('binary'))
  }
})

test('a keyed hash refuses a key of another length', () => {
  assert.throws(() => createKeyedHash(randomBytes(31)), /32 bytes/)
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { generateAccessToken, hashAccessToken, parseAccessToken } from '../../src/secrets/access-token.ts'

suite('access tokens', () => {
  for (const mode of ['live', 'test', 'ops'] as const) {
    test(`a new ${mode} token has the documented shape and is recognised`, () => {
      const { token, hash, prefix } = generateAccessToken(mode)
      assert.match(token, new RegExp(`^payin_${mode}_[0-9A-Za-z]{36}$`))
      assert.deepEqual(parseAccessToken(token), { mode })
      assert.equal(prefix, token.slice(0, 16))
      assert.equal(hash, createHash('sha256').update(token).digest('hex'))
      assert.equal(hash, hashAccessToken(token))
    })
  }

  test('the checksum of a known token stays what it was', () => {
    assert.deepEqual(parseAccessToken('payin_test_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o528xUuC'), { mode: 'test' })
  })

  test('any single other character is rejected', () => {
    const { token } = generateAccessToken('live')
    for (let index = 0; index < token.length; index++) {
      for (const other of '0aZ_ -') {
        if (other === token[index]) continue
        assert.equal(parseAccessToken(token.slice(0, index) + other + token.slice(index + 1)), undefined)
      }
    }
  })

  test('other text is rejected, however long', () => {
    const { token } = generateAccessToken('test')
    for (const text of [
      '',
      'payin_test_',
      token.slice(1),
      token.slice(0, -1),
      `${token}\n`,
      ` ${token}`,
      `${token}0`,
    ]) {
      assert.equal(parseAccessToken(text), undefined)
    }
    assert.equal(parseAccessToken(token.replace('test', 'live')), undefined)
    assert.equal(parseAccessToken('payin_test_'.padEnd(10_000_000, 'a')), undefined)
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseAccessToken(text) === undefined))
  })

  test('every character is about equally likely', () => {
    const counts = new Map<string, number>()
    const tokens = 4_000
    for (let index = 0; index < tokens; index++) {
      for (const character of generateAccessToken('ops').token.slice(10, 40)) {
        counts.set(character, (counts.get(character) ?? 0) + 1)
      }
    }
    const expected = (tokens * 30) / 62
    assert.equal(counts.size, 62)
    // One deviation is about 44; bytes modulo 62 without rejection would give eight characters 408 more.
    for (const [character, count] of counts) assert.ok(Math.abs(count - expected) < 300, `${character}: ${count}`)
  })
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { createVault } from '../../src/secrets/vault.ts'

const key1 = { id: 'k1', key: randomBytes(32) }
const key2 = { id: 'k2', key: randomBytes(32) }
const before = createVault([key1])
const rotated = createVault([key2, key1])
const after = createVault([key2])
const location = { table: 'requisites', column: 'pan', row: '0198c0de-0000-7000-8000-000000000001' }
const text = fc.string({ unit: 'binary' })
const locations = fc.record({ table: text, column: text, row: text })

suite('sealed values', () => {
  test('open in their location to what was sealed', () => {
    fc.assert(
      fc.property(text, locations, (plaintext, somewhere) => {
        assert.equal(before.decrypt(before.encrypt(plaintext, somewhere), somewhere), plaintext)
      }),
    )
  })

  test('name version and key, and differ each time', () => {
    const [first, second] = [
      rotated.encrypt('4111111111111111', location),
      rotated.encrypt('4111111111111111', location),
    ]
    assert.match(first, /^v1\.k2\.[\w-]+$/)
    assert.notEqual(first, second)
    assert.ok(!Buffer.from(first.split('.')[2] ?? '', 'base64url').includes('4111'))
  })

  test('do not open in another location', () => {
    fc.assert(
      fc.property(locations, locations, (here, there) => {
        fc.pre(JSON.stringify(here) !== JSON.stringify(there))
        assert.throws(() => before.decrypt(before.encrypt('secret', here), there), /changed, moved/)
      }),
    )
  })

  test('do not open where only the borders between table, column and row differ', () => {
    const sealed = before.encrypt('secret', { table: 'a', column: 'b","c', row: 'd' })
    for (const there of [
      { table: 'a","b', column: 'c', row: 'd' },
      { table: 'a', column: 'b', row: 'c","d' },
      { table: 'a', column: 'bc', row: 'd' },
    ]) {
      assert.throws(() => before.decrypt(sealed, there), /changed, moved/)
    }
  })

  test('do not open after any single bit flip, and the error holds no content', () => {
    const sealed = before.encrypt('canary', location)
    const body = Buffer.from(sealed.slice(6), 'base64url')
    for (let bit = 0; bit < body.length * 8; bit++) {
      const flipped = Buffer.from(body)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.throws(
        () => before.decrypt(`v1.k1.${flipped.toString('base64url')}`, location),
        (error: Error) =>
          /^The sealed value of requisites.pan was changed/.test(error.message) && !/canary/.test(error.message),
      )
    }
  })

  test('do not open after any single changed character, nor cut short, nor prolonged', () => {
    const sealed = before.encrypt('canary', location)
    for (let index = 0; index < sealed.length; index++) {
      for (let bit = 0; bit < 7; bit++) {
        const code = sealed.charCodeAt(index) ^ (1 << bit)
        const changed = sealed.slice(0, index) + String.fromCharCode(code) + sealed.slice(index + 1)
        assert.throws(() => before.decrypt(changed, location))
      }
      assert.throws(() => before.decrypt(sealed.slice(0, index), location))
    }
    for (const more of ['A', '=', '\n', '.']) assert.throws(() => before.decrypt(sealed + more, location))
  })

  test('open after the rotation, and an unknown key is named by its id only', () => {
    const sealed = before.encrypt('secret', location)
    assert.equal(rotated.decrypt(sealed, location), 'secret')
    assert.throws(() => after.decrypt(sealed, location), { message: 'No encryption key has the id "k1"' })
  })

  test('do not open with another key of the same id', () => {
    const stranger = createVault([{ id: 'k1', key: randomBytes(32) }])
    assert.throws(() => stranger.decrypt(before.encrypt('secret', location), location), /another key/)
  })

  test('are not made of text that would come back changed', () => {
    assert.throws(() => before.encrypt('\ud800', location), /not well-formed/)
  })
})

suite('blind indexes', () => {
  test('are the same for the same value, and differ by kind, value and key', () => {
    assert.equal(before.blindIndex('pan', '4111'), createVault([key1]).blindIndex('pan', '4111'))
    const different = [
      before.blindIndex('pan', '4111'),
      before.blindIndex('phone', '4111'),
      before.blindIndex('pan', '4112'),
      before.blindIndex('pan4', '111'),
      rotated.blindIndex('pan', '4111'),
    ]
    assert.equal(new Set(different).size, different.length)
    assert.match(different[0] ?? '', /^[\w-]{43}$/)
  })

  test('find rows of every key after the rotation', () => {
    assert.deepEqual(rotated.blindIndexes('pan', '4111'), [
      after.blindIndex('pan', '4111'),
      before.blindIndex('pan', '4111'),
    ])
  })
})

suite('keys', () => {
  test('subkeys are stable, 32 bytes, one per purpose and key', () => {
    assert.deepEqual(before.subkey('checkout-token'), createVault([key1]).subkey('checkout-token'))
    assert.deepEqual(rotated.subkeys('a'), [after.subkey('a'), before.subkey('a')])
    assert.deepEqual(rotated.subkey('a'), after.subkey('a'))
    assert.notDeepEqual(before.subkey('a'), before.subkey('b'))
    assert.equal(before.subkey('a').length, 32)
  })

  test('the key check passes while its key is among the keys, and for nothing else', () => {
    const check = before.keyChecks()[0] ?? ''
    assert.ok(before.verifyKeyCheck(check))
    assert.ok(rotated.verifyKeyCheck(check))
    assert.ok(!after.verifyKeyCheck(check))
    assert.ok(!createVault([{ id: 'k1', key: randomBytes(32) }]).verifyKeyCheck(check))
    for (const wrong of ['', 'v1.k1.', `${check}A`, check.slice(0, -1)]) assert.ok(!before.verifyKeyCheck(wrong))
  })

  test('a vault is refused without keys, with short keys or with one id twice', () => {
    assert.throws(() => createVault([]), /at least one/)
    assert.throws(() => createVault([{ id: 'k1', key: randomBytes(16) }]), /32 bytes/)
    assert.throws(() => createVault([key1, { id: 'k1', key: randomBytes(32) }]), /same id/)
  })
})

test('bytes come back as they were, and open nowhere else', () => {
  const content = Buffer.from([0, 255, 128, 10, 13, 0xd8, 0x00])
  const sealed = before.encryptBytes(content, location)
  assert.deepEqual(before.decryptBytes(sealed, location), content)
  assert.throws(() => before.decryptBytes(sealed, { ...location, row: 'two' }), /moved/)
})

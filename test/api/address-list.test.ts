import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAddresses } from '../../src/http/access/address-list.ts'

// One line per case: the list, an address, whether it is on it.
const cases: readonly (readonly [list: string, address: string, isOn: boolean])[] = [
  ['::/0', '192.0.2.1', false],
  ['::/0', '::ffff:192.0.2.1', false],
  ['::/0', '2001:db8::1', true],
  ['::/80', '192.0.2.1', false],
  ['::ffff:192.0.2.0/120', '192.0.2.7', true],
  ['::ffff:192.0.2.0/120', '192.0.3.7', false],
  ['::ffff:0:0/96', '192.0.2.1', true],
  ['0.0.0.0/0', '192.0.2.1', true],
  ['0.0.0.0/0', '::ffff:192.0.2.1', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.0/24', '192.0.3.1', false],
  ['2001:db8::/32', '2001:db8:1::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
]

for (const [list, address, isOn] of cases) {
  test(`${address} is ${isOn ? 'on' : 'not on'} a list of ${list}`, () => {
    assert.equal(matchAddresses([list])(address), isOn)
  })
}

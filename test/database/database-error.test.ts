import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDiskFull, isEngineBroken, toRefusal } from '../../src/database/database-error.ts'
import { Refusal } from '../../src/rules/refusal.ts'

type What = { unavailable: boolean; full: boolean; broken: boolean }

const cases: readonly (readonly [code: string, what: What, message?: string])[] = [
  ['53100', { unavailable: true, full: true, broken: false }],
  ['53200', { unavailable: true, full: false, broken: true }],
  ['53300', { unavailable: true, full: false, broken: true }],
  ['58000', { unavailable: true, full: false, broken: true }],
  ['58030', { unavailable: true, full: true, broken: true }],
  ['58P01', { unavailable: true, full: false, broken: true }],
  ['58P02', { unavailable: true, full: true, broken: true }],
  ['57P03', { unavailable: true, full: false, broken: false }],
  ['XX000', { unavailable: false, full: false, broken: true }],
  // A new connection to a server whose disk is full.
  ['XX000', { unavailable: true, full: true, broken: true }, 'could not write init file'],
  ['XX000', { unavailable: true, full: true, broken: true }, 'could not write "base/1": No space left on device'],
  ['XX001', { unavailable: false, full: false, broken: true }],
  ['23505', { unavailable: false, full: false, broken: false }],
  ['42P01', { unavailable: false, full: false, broken: false }],
]

for (const [code, expected, message = 'made up'] of cases) {
  test(`an error ${code} (${message}) is ${JSON.stringify(expected)}`, () => {
    const error = Object.assign(new Error(message), { code })
    const refusal = toRefusal(error)
    const unavailable = refusal instanceof Refusal && refusal.code === 'database_unavailable'
    assert.deepEqual({ unavailable, full: isDiskFull(error), broken: isEngineBroken(error) }, expected)
    if (refusal instanceof Refusal) assert.ok((refusal.details.retryAfterSeconds ?? 0) > 0)
  })
}

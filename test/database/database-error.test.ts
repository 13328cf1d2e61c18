import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDiskFull, isEngineBroken, toRefusal } from '../../src/database/database-error.ts'
import { Refusal } from '../../src/domain/refusal.ts'

const cases: readonly (readonly [code: string, what: { unavailable: boolean; full: boolean; broken: boolean }])[] = [
  ['53100', { unavailable: true, full: true, broken: false }],
  ['53200', { unavailable: true, full: false, broken: true }],
  ['53300', { unavailable: true, full: false, broken: true }],
  ['58000', { unavailable: true, full: false, broken: true }],
  ['58030', { unavailable: true, full: true, broken: true }],
  ['58P01', { unavailable: true, full: false, broken: true }],
  ['58P02', { unavailable: true, full: true, broken: true }],
  ['57P03', { unavailable: true, full: false, broken: false }],
  ['XX000', { unavailable: false, full: false, broken: true }],
  ['XX001', { unavailable: false, full: false, broken: true }],
  ['23505', { unavailable: false, full: false, broken: false }],
  ['42P01', { unavailable: false, full: false, broken: false }],
]

for (const [code, expected] of cases) {
  test(`an error ${code} is ${JSON.stringify(expected)}`, () => {
    const error = Object.assign(new Error('made up'), { code })
    const refusal = toRefusal(error)
    const unavailable = refusal instanceof Refusal && refusal.code === 'database_unavailable'
    assert.deepEqual({ unavailable, full: isDiskFull(error), broken: isEngineBroken(error) }, expected)
    if (refusal instanceof Refusal) assert.ok((refusal.details.retryAfterSeconds ?? 0) > 0)
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDiskFull, isEngineBroken, asRefused } from '../../packages/database/src/database-error.ts'
import { NotDone } from 'payin-database'
import { refuseNotDone } from '../../src/engine/coalesce.ts'

type What = { unavailable: boolean; full: boolean; broken: boolean }

const cases: readonly (readonly [code: string, what: What, message?: string])[] = [
  ['53100', { unavailable: true, full: true, broken: false }],
  ['53200', { unavailable: true, full: false, broken: true }],
  ['53300', { unavailable: true, full: false, broken: true }],
  ['58000', { unavailable: true, full: false, broken: true }],
  ['58030', { unavailable: true, full: true, broken: true }],
  ['58P01', { unavailable: true, full: false, broken: true }],
  ['58P02', { unavailable: true, full: true, broken: true }],
  // A database that was renamed while the service ran, or a user that may no longer sign in.
  ['28P01', { unavailable: true, full: false, broken: false }],
  ['28000', { unavailable: true, full: false, broken: false }],
  ['3D000', { unavailable: true, full: false, broken: false }],
  ['42501', { unavailable: true, full: false, broken: false }, 'permission denied for database "payin"'],
  ['42501', { unavailable: false, full: false, broken: false }, 'permission denied for table payments'],
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
    const refused = asRefused(error)
    const unavailable = refused instanceof NotDone && refused.code === 'database_unavailable'
    assert.deepEqual({ unavailable, full: isDiskFull(error), broken: isEngineBroken(error) }, expected)
    if (refused instanceof NotDone) assert.ok((refuseNotDone(refused).details.retryAfterSeconds ?? 0) > 0)
  })
}

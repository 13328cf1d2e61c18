import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingOf } from '../console/src/pages/matching/waiting-of.ts'
import { zoneText } from '../console/src/parts/zone-text.ts'
import { problemText } from '../console/src/api/problem-text.ts'

test('a refusal says each fault once', () => {
  const account = { field: 'line 2', message: 'No account.' }
  const sign = { field: 'line 3', message: 'No sign.' }
  const say = (text: string): string => text.toUpperCase()
  const detail = 'Line 2: No account. Nothing was imported.'
  assert.equal(problemText(detail, [account], say), 'LINE 2: NO ACCOUNT. NOTHING WAS IMPORTED.')
  assert.equal(problemText(detail, [account, sign], say), 'LINE 2: NO ACCOUNT. NOTHING WAS IMPORTED. line 3 NO SIGN.')
  assert.equal(problemText('line 2 No account.', [account], say), 'line 2 NO ACCOUNT.')
  assert.equal(problemText('The clock is wrong.', [], say), 'THE CLOCK IS WRONG.')
})

test('of a transfer that was split, what is left waits', () => {
  const waiting = { kind: 'suspense', amount: 348.5 } as const
  assert.equal(waitingOf({ amount: 4500, parts: [{ kind: 'payment', amount: 4151.5 }, waiting] }), 348.5)
  assert.equal(waitingOf({ amount: 348.5, parts: [waiting] }), 348.5)
})

test('a time zone is written as people know it', () => {
  assert.deepEqual([180, 0, -210].map(zoneText), ['UTC+03:00', 'UTC+00:00', 'UTC−03:30'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
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

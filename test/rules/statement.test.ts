import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseStatement } from '../../src/rules/statements/statement.ts'

test('the refusal of a file says its first fault, and how many others there are', () => {
  const text = (count: number): string =>
    refuseStatement(Array.from({ length: count }, (_, index) => ({ line: index + 1, reason: 'Odd.' }))).message
  assert.equal(text(1), 'Line 1: Odd. Nothing was imported.')
  assert.equal(text(2), 'Line 1: Odd. There is 1 more fault. Nothing was imported.')
  assert.equal(text(3), 'Line 1: Odd. There are 2 more faults. Nothing was imported.')
})

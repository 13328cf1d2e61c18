import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNearLimit, mayTrustCount } from '../../src/rules/payments/open-limit.ts'
import { second } from '../../src/rules/time.ts'
import { start } from '../support/builders.ts'

const near: readonly [limit: number, open: number, isNear: boolean][] = [
  [1, 0, true],
  [50, 0, true],
  [51, 0, false],
  [51, 1, true],
  [500, 449, false],
  [500, 450, true],
  [10_000, 8_999, false],
  [10_000, 9_000, true],
  [10_000, 20_000, true],
]
for (const [limit, open, isNear] of near)
  test(`${open} open payments are ${isNear ? '' : 'not '}near a limit of ${limit}`, () =>
    assert.equal(isNearLimit(limit, open), isNear))

const trusted: readonly [
  title: string,
  known: { open: number; created: number } | undefined,
  ageMs: number,
  is: boolean,
][] = [
  ['nothing known', undefined, 0, false],
  ['no open payment, for nine margins', { open: 0, created: 0 }, 10 * second, true],
  ['no open payment, longer', { open: 0, created: 0 }, 10 * second + 1, false],
  ['two margins left', { open: 7000, created: 1000 }, 2 * second, true],
  ['two margins left, longer', { open: 7000, created: 1000 }, 2 * second + 1, false],
  ['nothing left, for a second', { open: 10_000, created: 0 }, second, true],
  ['nothing left, longer', { open: 10_000, created: 0 }, second + 1, false],
  ['read in the future by a clock that went back', { open: 0, created: 0 }, -60 * second, false],
]
for (const [title, known, ageMs, is] of trusted)
  test(`a count is ${is ? '' : 'not '}good enough: ${title}`, () =>
    assert.equal(mayTrustCount(10_000, known && { ...known, at: start }, start + ageMs), is))

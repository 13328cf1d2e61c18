import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastLimit } from '../../src/rules/requisites/requisite-forecast.ts'
import {
  noRequisiteLimits,
  noUsage,
  type RequisiteLimits,
  type RequisiteUsage,
} from '../../src/rules/requisites/requisite.ts'

const at = (text: string): number => Date.parse(text)

const cases: readonly [
  string,
  Partial<RequisiteLimits>,
  Partial<RequisiteUsage>,
  string,
  readonly [string, string] | undefined,
][] = [
  ['no limits', {}, { dayAmount: 500n }, '2026-03-10T12:00:00Z', undefined],
  ['nothing was sent to it', { dayAmount: 100n }, {}, '2026-03-10T12:00:00Z', undefined],
  [
    'half of the day, two thirds of its sum',
    { dayAmount: 300n },
    { dayAmount: 200n },
    '2026-03-10T12:00:00Z',
    ['dayAmount', '2026-03-10T18:00:00Z'],
  ],
  ['the day ends first', { dayAmount: 300n }, { dayAmount: 100n }, '2026-03-10T12:00:00Z', undefined],
  [
    'used up: now',
    { dayCount: 3, monthCount: 100 },
    { dayCount: 3, monthCount: 3 },
    '2026-03-10T12:00:00Z',
    ['dayCount', '2026-03-10T12:00:00Z'],
  ],
  ['a limit of nothing: now', { dayCount: 0 }, {}, '2026-03-10T12:00:00Z', ['dayCount', '2026-03-10T12:00:00Z']],
  [
    'the month, at the pace of its ten days',
    { dayCount: 100, monthAmount: 1500n },
    { dayCount: 1, monthAmount: 1000n },
    '2026-03-11T00:00:00Z',
    ['monthAmount', '2026-03-16T00:00:00Z'],
  ],
  [
    'a first minute counts as an hour',
    { dayCount: 3 },
    { dayCount: 1 },
    '2026-03-10T00:01:00Z',
    ['dayCount', '2026-03-10T02:01:00Z'],
  ],
  [
    'the day of its own zone, in which it is 15:00',
    { dayAmount: 300n, utcOffsetMinutes: 180 },
    { dayAmount: 200n },
    '2026-03-10T12:00:00Z',
    ['dayAmount', '2026-03-10T19:30:00Z'],
  ],
]

for (const [title, limits, usage, now, expected] of cases) {
  test(`the limit that is reached first: ${title}`, () => {
    const forecast = forecastLimit(
      { ...noRequisiteLimits, utcOffsetMinutes: 0, ...limits },
      { ...noUsage, ...usage },
      at(now),
    )
    assert.deepEqual(forecast, expected && { limit: expected[0], at: at(expected[1]) })
  })
}

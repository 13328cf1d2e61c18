import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeShortage, freeAgainAt, type Unavailable } from '../../src/rules/requisites/requisite-shortage.ts'
import type { RequisiteLimits, RequisiteRefusal, RequisiteWish } from '../../src/rules/requisites/requisite.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { requisite, requisiteWish, start } from '../support/builders.ts'

const wish = requisiteWish(990_00n)

const refused = (...causes: readonly RequisiteRefusal[]): Unavailable[] =>
  causes.map((cause) => ({ refused: cause, freeAt: null }))

const shortages: readonly [
  causes: readonly RequisiteRefusal[],
  reason: string,
  message: string,
  wish?: Partial<RequisiteWish>,
][] = [
  [['slot-taken'], 'slot-taken', 'The only receiving account that fits already holds a payment of exactly 990.00 rub.'],
  [
    ['slot-taken', 'slot-taken', 'slot-taken', 'not-active'],
    'slot-taken',
    'All 3 receiving accounts that fit already hold a payment of exactly 990.00 rub.',
  ],
  [
    ['day-limit', 'slot-taken', 'day-limit', 'other-bank'],
    'day-limit',
    'Of the 3 receiving accounts that fit, 2 have reached their limits of the day, 1 already holds a payment of exactly 990.00 rub.',
  ],
  [
    ['outside-working-hours'],
    'outside-working-hours',
    'The only receiving account that fits is outside its working hours.',
  ],
  [['not-active', 'other-bank'], 'no-account', 'There is no receiving account for sbp in rub at the moment.'],
  [
    ['other-bank'],
    'no-account',
    'There is no receiving account for sbp in rub at the bank bank-b at the moment.',
    { bankIssuer: 'bank-b' },
  ],
]
for (const [causes, reason, message, fields = {}] of shortages) {
  test(`no requisite is free: ${causes.join(', ')}`, () => {
    assert.deepEqual(describeShortage({ ...wish, ...fields }, refused(...causes)), { reason, message, freeAt: null })
  })
}

test('the first requisite that is free again counts', () => {
  const ends = [start + hour, null, start + minute].map((freeAt) => ({ refused: 'slot-taken' as const, freeAt }))
  const { message, freeAt } = describeShortage(wish, ends)
  assert.equal(freeAt, start + minute)
  assert.match(message, / One is expected to be free at 2026-01-31T12:01:00.000Z\.$/)
})

// It is 12:00 UTC and 15:00 where the requisite is.
const ends: readonly [RequisiteRefusal, string | null, Partial<RequisiteLimits>?][] = [
  ['slot-taken', '2026-01-31T12:30Z'],
  ['outside-working-hours', '2026-02-01T06:00Z', { workingMinutes: [540, 840] }],
  ['outside-working-hours', '2026-01-31T17:00Z', { workingMinutes: [1200, 120] }],
  ['outside-working-hours', null, { workingMinutes: [540, 540] }],
  ['day-limit', '2026-01-31T21:00Z'],
  ['day-limit', '2026-02-01T00:00Z', { utcOffsetMinutes: 0 }],
  ['month-limit', '2026-01-31T21:00Z'],
  ['month-limit', '2026-02-28T10:00Z', { utcOffsetMinutes: 14 * 60 }],
  ['open-payments-limit', null],
  ['amount-too-small', null],
]
for (const [cause, at, limits = {}] of ends) {
  test(`refused by ${cause}, free again at ${at ?? 'nobody knows'}`, () => {
    const found = freeAgainAt(requisite({}, limits), cause, start, start + 30 * minute)
    assert.equal(found, at === null ? null : Date.parse(at))
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { farthestTurnMs, turnedMoment, turnedTimes } from '../../src/rules/sandbox/clock-turn.ts'
import { acceptUntil, dueAt, lateUntil, type Payment } from '../../src/rules/payments/payment.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { payment, start } from '../support/builders.ts'

const cases: readonly (readonly [title: string, moment: number, byMs: number, after: number])[] = [
  ['what is still to come is as much sooner', 40 * minute, 10 * minute, 30 * minute],
  ['what would have come long ago comes now', 40 * minute, day, 5 * minute],
  ['what comes at the end of the turn comes now', 40 * minute, 35 * minute, 5 * minute],
  ['what has come stays', 2 * minute, day, 2 * minute],
  ['what comes now stays', 5 * minute, day, 5 * minute],
]

for (const [title, moment, byMs, after] of cases)
  test(title, () => assert.equal(turnedMoment(moment, { byMs, now: 5 * minute }), after))

const moments = (each: Payment): readonly number[] => [each.expiredAt, acceptUntil(each), lateUntil(each)]

const turn = (each: Payment, byMs: number, now: number): Payment => {
  const { expiredAt, ...windows } = turnedTimes(each, { byMs, now })
  return { ...each, expiredAt, terms: { ...each.terms, ...windows } }
}

test('a turn within the time to pay shortens that alone', () => {
  const before = payment()
  const after = turn(before, minute, start)
  assert.deepEqual(
    moments(after),
    moments(before).map((moment) => moment - minute),
  )
})

test('a turn of any length keeps the order of moments, moves nothing into the past and never back', () => {
  const span = fc.integer({ min: 1, max: farthestTurnMs })
  fc.assert(
    fc.property(span, fc.integer({ min: 1, max: 3 * day }), fc.option(fc.nat(hour)), (byMs, age, claimed) => {
      const before = payment({
        status: claimed === null ? 'new' : 'processing',
        claimedAt: claimed === null ? null : start + Math.min(claimed, age),
      })
      const now = start + age
      const after = turn(before, byMs, now)
      const { graceMs, lateWindowMs, confirmDeadlineMs } = after.terms
      for (const length of [graceMs, lateWindowMs, confirmDeadlineMs]) assert.ok(length >= 0, `${length}`)
      moments(before).forEach((moment, index) => {
        const turned = moments(after)[index] ?? 0
        assert.ok(turned <= moment && turned >= before.createdAt)
        // What has come is untouched; what is moved comes a millisecond before now, so that money of now is late for it.
        if (moment < now) assert.equal(turned, moment)
        else assert.ok(turned >= now - 1 || turned === before.createdAt)
        assert.equal(turned >= now && moment > now, moment - byMs > now)
      })
      assert.ok((dueAt(after) ?? 0) <= (dueAt(before) ?? 0))
    }),
  )
})

test('two turns in a row are one of their sum, as long as nothing of it has come', () => {
  const before = payment()
  const once = turn(before, 20 * minute, start)
  assert.deepEqual(moments(turn(turn(before, 5 * minute, start), 15 * minute, start)), moments(once))
})

test('a late window that is counted in banking days is turned to the same moment, if that is on one', () => {
  const friday = Date.parse('2026-01-30T10:00Z')
  const before = payment({ method: 'account-to-account', createdAt: friday }, { lateWindowMs: day })
  const monday = Date.parse('2026-02-02T10:45Z')
  assert.equal(lateUntil(before), monday)
  for (const [byMs, until] of [
    [hour, monday - hour],
    [3 * day - hour, monday - 3 * day + hour],
    [2 * day, Date.parse('2026-01-31T00:00Z')],
  ] as const)
    assert.equal(lateUntil(turn(before, byMs, friday)), until)
})

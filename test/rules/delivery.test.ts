// The plan of retries and what an endpoint's failures do to it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  attemptsAtOnce,
  earlyWaitMs,
  hasFailedTooLong,
  isDelivered,
  jitter,
  longestRetryAfterMs,
  nextTry,
  paceOf,
  pauseMs,
  readRetryAfter,
  retryDelaysMs,
} from '../../src/rules/notices/delivery.ts'
import { day, hour, minute, second } from '../../src/rules/time.ts'

const now = Date.parse('2026-01-31T12:00:00.000Z')

test('the plan is 0 s, 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h: at least 75 hours', () => {
  assert.deepEqual(
    retryDelaysMs.map((delay) => delay / second),
    [0, 5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
  )
  assert.ok(retryDelaysMs.reduce((sum, delay) => sum + delay, 0) >= 75 * hour)
})

test('each wait is the planned one and at most a tenth more, or what the receiver asks for where that is longer', () => {
  fc.assert(
    fc.property(fc.nat(9), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(2 * day), (step, spread, asked) => {
      const next = nextTry({ attempts: step, step, plannedAt: null }, now, spread, asked)
      const planned = retryDelaysMs[step + 1] ?? 0
      assert.ok(next)
      assert.equal(next.step, step + 1)
      const wait = next.at - now
      assert.ok(wait >= planned && wait >= asked)
      assert.ok(wait <= Math.max(planned * (1 + jitter) + 1, asked))
    }),
    { numRuns: 2000 },
  )
  const last = { attempts: 10, step: 10, plannedAt: null }
  assert.equal(nextTry(last, now, 0, 0), null)
  // Planned for a time that is past by now, it was no early try.
  assert.equal(nextTry({ ...last, plannedAt: now }, now, 0, 0), null)
})

test('a try before its planned time uses no step; the next early one waits longer, and for what the receiver asks', () => {
  const plannedAt = now + 10 * hour
  for (const step of [1, 5, 10]) {
    const early = (tries: number, asked: number) => nextTry({ attempts: step + tries, step, plannedAt }, now, 1, asked)
    assert.deepEqual(early(0, 0), { step, at: plannedAt, notBefore: now + minute })
    assert.deepEqual(early(3, 0), { step, at: plannedAt, notBefore: now + 8 * minute })
    assert.deepEqual(early(0, 2 * hour), { step, at: plannedAt, notBefore: now + 2 * hour })
    assert.deepEqual(early(0, 20 * hour), { step, at: now + 20 * hour, notBefore: now + 20 * hour })
  }
  // Restarted, it is at the start of its plan.
  assert.equal(nextTry({ attempts: 7, step: 0, plannedAt }, now, 0, 0)?.at, now + 5 * second)
  assert.deepEqual([-1, 0, 1, 2, 6, 7, 1000].map(earlyWaitMs), [0, 0, minute, 2 * minute, 32 * minute, hour, hour])
})

test('an endpoint is slow until it has answered and when its answers take a second; one failure is no outage', () => {
  assert.deepEqual(
    [paceOf(0, undefined), paceOf(0, 999), paceOf(0, second), paceOf(2, 5), paceOf(3, 5)],
    ['slow', 'quick', 'slow', 'quick', 'failing'],
  )
})

const waits: readonly (readonly [header: string | null, wait: number])[] = [
  [null, 0],
  ['', 0],
  ['0', 0],
  ['120', 120 * second],
  [' 7 ', 7 * second],
  ['-5', 0],
  ['1.5', 0],
  ['1e3', 0],
  ['soon', 0],
  ['99999999999999999999', longestRetryAfterMs],
  ['Sat, 31 Jan 2026 12:01:00 GMT', minute],
  ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', longestRetryAfterMs],
  ['x'.repeat(10_000), 0],
]
for (const [header, wait] of waits) {
  test(`Retry-After: ${String(header).slice(0, 40)} asks for ${wait} ms`, () =>
    assert.equal(readRetryAfter(header, now), wait))
}

test('any Retry-After asks for a wait between none and a day', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (header) => {
      const wait = readRetryAfter(header, now)
      assert.ok(wait >= 0 && wait <= longestRetryAfterMs)
    }),
  )
})

test('2xx alone is delivered', () => {
  const taken = [null, 100, 199, 200, 204, 299, 300, 301, 400, 410, 500].filter((httpStatus) =>
    isDelivered({ httpStatus }),
  )
  assert.deepEqual(taken, [200, 204, 299])
})

test('an endpoint that fails is paused no longer than the plan of its deliveries, and gets one attempt at a time', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 9, 1000].map(pauseMs), [0, 0, 0, second, 2 * second, 4 * second, minute, minute])
  for (let failures = 1; failures < retryDelaysMs.length; failures++) {
    assert.ok(pauseMs(failures) <= (retryDelaysMs[failures] ?? 0))
  }
  assert.equal(attemptsAtOnce(0, 0, 16), 4)
  assert.equal(attemptsAtOnce(100, 0, 16), 16)
  assert.equal(attemptsAtOnce(0, 0, 2), 2)
  for (const failures of [3, 4, 1000]) assert.equal(attemptsAtOnce(0, failures, 16), 1)
})

test('five days without one success are too long', () => {
  assert.equal(hasFailedTooLong(null, now), false)
  assert.equal(hasFailedTooLong(now - 5 * day + 1, now), false)
  assert.equal(hasFailedTooLong(now - 5 * day, now), true)
})

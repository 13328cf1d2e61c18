import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { LockedTerms } from '../../src/rules/merchants/merchant.ts'
import { endOfTime, receiveMoney } from '../../src/rules/payments/receive-money.ts'
import { applyChange, type Payment, type PaymentStatus } from '../../src/rules/payments/payment.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { payment, start } from '../support/builders.ts'

const expiredAt = start + 30 * minute
const accepted = expiredAt + 15 * minute
const inTime = start + 5 * minute

type Row = readonly [
  title: string,
  payment: { readonly status?: PaymentStatus; readonly received?: bigint },
  terms: Partial<LockedTerms>,
  money: bigint,
  bookedAt: number,
  outcome: string,
]

// Payments of 5000.00, creditable 100.00–300000.00. Outcome: status, reason, trigger, received and finalAmount, or wait.
const received: readonly Row[] = [
  ['exact', {}, {}, 5000_00n, inTime, 'paid exact money-right 500000 -'],
  ['exact at the last moment', {}, {}, 5000_00n, accepted, 'paid exact money-right 500000 -'],
  [
    'exact after expiry, in the grace',
    { status: 'expired' },
    {},
    5000_00n,
    accepted,
    'paid exact money-right 500000 -',
  ],
  ['exact a moment too late', { status: 'expired' }, {}, 5000_00n, accepted + 1, 'paid late money-late 500000 -'],
  ['exact, late, still claimed', { status: 'processing' }, {}, 5000_00n, accepted + 1, 'paid late money-late 500000 -'],
  ['exact, late, not yet expired', {}, {}, 5000_00n, accepted + 1, 'paid late money-late 500000 -'],
  [
    'rest of a partial',
    { status: 'processing', received: 2000_00n },
    {},
    3000_00n,
    inTime,
    'paid exact money-right 500000 -',
  ],
  ['below, within tolerance', {}, { toleranceMinor: 100n }, 4999_00n, inTime, 'paid tolerance money-right 499900 -'],
  ['above, within tolerance', {}, { toleranceMinor: 100n }, 5001_00n, inTime, 'paid tolerance money-right 500100 -'],
  ['within 2 %', {}, { toleranceMinor: 1_000_000n }, 4900_00n, inTime, 'paid tolerance money-right 490000 -'],
  [
    'below 2 %, whatever the tolerance',
    {},
    { toleranceMinor: 1_000_000n },
    4899_99n,
    inTime,
    'processing partial money-partial 489999 -',
  ],
  [
    'below, outside tolerance',
    {},
    { toleranceMinor: 99n },
    4999_00n,
    inTime,
    'processing partial money-partial 499900 -',
  ],
  [
    'above, outside tolerance',
    {},
    { toleranceMinor: 99n },
    5001_00n,
    inTime,
    'disput-paid overpaid money-mismatch-credited 500100 500100',
  ],
  [
    'parts within tolerance',
    { status: 'processing', received: 2000_00n },
    { toleranceMinor: 100n },
    2999_00n,
    inTime,
    'paid tolerance money-right 499900 -',
  ],
  [
    'late within tolerance',
    { status: 'expired' },
    { toleranceMinor: 100n },
    4999_00n,
    accepted + 1,
    'disput-paid underpaid money-mismatch-credited 499900 499900',
  ],
  ['part', {}, {}, 2000_00n, inTime, 'processing partial money-partial 200000 -'],
  ['part in the grace, not yet expired', {}, {}, 2000_00n, accepted, 'processing partial money-partial 200000 -'],
  ['part of a claimed one', { status: 'processing' }, {}, 2000_00n, inTime, 'wait 200000'],
  ['second part', { status: 'processing', received: 2000_00n }, {}, 1000_00n, inTime, 'wait 300000'],
  [
    'part in time, read after expiry',
    { status: 'expired' },
    {},
    2000_00n,
    inTime,
    'processing partial money-partial 200000 -',
  ],
  [
    'part too late',
    { status: 'processing' },
    {},
    2000_00n,
    accepted + 1,
    'disput-paid underpaid money-mismatch-credited 200000 200000',
  ],
  [
    'part, a person looks',
    {},
    { partialPolicy: 'review' },
    2000_00n,
    inTime,
    'disput underpaid money-mismatch-review 200000 -',
  ],
  [
    'rest, parts are looked at',
    { status: 'processing' },
    { partialPolicy: 'review' },
    5000_00n,
    inTime,
    'paid exact money-right 500000 -',
  ],
  [
    'late, a person looks',
    { status: 'expired' },
    { latePolicy: 'review' },
    5000_00n,
    accepted + 1,
    'disput late money-mismatch-review 500000 -',
  ],
  [
    'too much, only too little is credited',
    {},
    { overpaidPolicy: 'review' },
    6000_00n,
    inTime,
    'disput overpaid money-mismatch-review 600000 -',
  ],
  [
    'too little and late, only too much is looked at',
    { status: 'expired' },
    { mismatchPolicy: 'review', underpaidPolicy: 'credit-received' },
    2000_00n,
    accepted + 1,
    'disput-paid underpaid money-mismatch-credited 200000 200000',
  ],
  ['part, review', {}, { mismatchPolicy: 'review' }, 2000_00n, inTime, 'processing partial money-partial 200000 -'],
  [
    'part too late, review',
    { status: 'expired' },
    { mismatchPolicy: 'review' },
    2000_00n,
    accepted + 1,
    'disput underpaid money-mismatch-review 200000 -',
  ],
  ['too much', {}, {}, 6000_00n, inTime, 'disput-paid overpaid money-mismatch-credited 600000 600000'],
  [
    'too much, late',
    { status: 'expired' },
    {},
    6000_00n,
    accepted + 1,
    'disput-paid overpaid money-mismatch-credited 600000 600000',
  ],
  [
    'too much, review',
    {},
    { mismatchPolicy: 'review' },
    6000_00n,
    inTime,
    'disput overpaid money-mismatch-review 600000 -',
  ],
  [
    'too much in parts',
    { status: 'processing', received: 4000_00n },
    {},
    2000_00n,
    inTime,
    'disput-paid overpaid money-mismatch-credited 600000 600000',
  ],
  [
    'less than can be credited',
    { status: 'expired' },
    {},
    99_99n,
    accepted + 1,
    'disput underpaid money-mismatch-review 9999 -',
  ],
  [
    'the least that can be credited',
    { status: 'expired' },
    {},
    100_00n,
    accepted + 1,
    'disput-paid underpaid money-mismatch-credited 10000 10000',
  ],
  [
    'the most that can be credited',
    {},
    { creditCapPpm: 1_000_000_000 },
    300_000_00n,
    inTime,
    'disput-paid overpaid money-mismatch-credited 30000000 30000000',
  ],
  [
    'more than can be credited',
    {},
    { creditCapPpm: 1_000_000_000 },
    300_000_01n,
    inTime,
    'disput overpaid money-mismatch-review 30000001 -',
  ],
  ['the cap', {}, {}, 7500_00n, inTime, 'disput-paid overpaid money-mismatch-credited 750000 750000'],
  ['more than the cap', {}, {}, 7500_01n, inTime, 'disput overpaid money-mismatch-review 750001 -'],
]

const shown = (outcome: ReturnType<typeof receiveMoney>): string =>
  'wait' in outcome
    ? `wait ${outcome.wait}`
    : `${outcome.to} ${outcome.reason} ${outcome.trigger} ${outcome.received ?? '-'} ${outcome.finalAmount ?? '-'}`

for (const [title, fields, locked, amount, bookedAt, outcome] of received) {
  test(`money: ${title}: ${outcome}`, () => {
    assert.equal(shown(receiveMoney(payment(fields, locked), { amount, bookedAt })), outcome)
  })
}

const ended: readonly (readonly [
  title: string,
  fields: Partial<Payment>,
  terms: Partial<LockedTerms>,
  now: number,
  outcome: string | undefined,
])[] = [
  ['new before its time', {}, {}, expiredAt - 1, undefined],
  ['new at its time', {}, {}, expiredAt, 'expired timeout time-out - -'],
  ['claimed before the deadline', { status: 'processing', claimedAt: inTime }, {}, inTime + 2 * hour - 1, undefined],
  [
    'claimed at the deadline',
    { status: 'processing', claimedAt: inTime },
    {},
    inTime + 2 * hour,
    'expired timeout time-out - -',
  ],
  ['part in the grace', { status: 'processing', received: 2000_00n }, {}, accepted - 1, undefined],
  [
    'part after the grace',
    { status: 'processing', received: 2000_00n },
    {},
    accepted,
    'disput-paid underpaid money-mismatch-credited 200000 200000',
  ],
  [
    'part, review',
    { status: 'processing', received: 2000_00n },
    { mismatchPolicy: 'review' },
    accepted,
    'disput underpaid money-mismatch-review 200000 -',
  ],
  [
    'part that is too little',
    { status: 'processing', received: 1n },
    {},
    accepted,
    'disput underpaid money-mismatch-review 1 -',
  ],
  ['paid', { status: 'paid', received: 5000_00n }, {}, accepted + 1000 * hour, undefined],
  ['expired', { status: 'expired' }, {}, accepted + 1000 * hour, undefined],
]

for (const [title, fields, locked, now, outcome] of ended) {
  test(`time: ${title}: ${outcome ?? 'nothing'}`, () => {
    const change = endOfTime(payment(fields, locked), now)
    assert.equal(change && shown(change), outcome)
  })
}

test('whatever money comes whenever, the change is in the table and no money is lost', () => {
  const open = fc.record({
    status: fc.constantFrom<PaymentStatus>('new', 'processing', 'expired'),
    part: fc.bigInt({ min: 0n, max: 4999_99n }),
    money: fc.oneof(fc.bigInt({ min: 1n, max: 400_000_00n }), fc.bigInt({ min: 4990_00n, max: 5010_00n })),
    bookedAt: fc.integer({ min: -10, max: 60 }).map((minutes) => start + minutes * minute),
    tolerance: fc.constantFrom(0n, 1n, 500n),
    policy: fc.constantFrom('credit-received' as const, 'review' as const),
  })
  fc.assert(
    fc.property(open, ({ status, part, money, bookedAt, tolerance, policy }) => {
      const before = payment(
        { status, received: status === 'processing' ? part : 0n },
        { toleranceMinor: tolerance, mismatchPolicy: policy },
      )
      const outcome = receiveMoney(before, { amount: money, bookedAt })
      const sum = before.received + money
      if ('wait' in outcome) {
        assert.equal(outcome.wait, sum)
        assert.ok(sum < before.amount)
        return
      }
      const after = applyChange(before, outcome, bookedAt)
      assert.equal(after.received, sum)
      const distance = sum > before.amount ? sum - before.amount : before.amount - sum
      if (after.status === 'paid') assert.ok(distance <= tolerance)
      if (after.status === 'disput-paid') assert.equal(after.finalAmount, sum)
      if (distance === 0n) assert.equal(after.status, 'paid')
    }),
    { numRuns: 5000 },
  )
})

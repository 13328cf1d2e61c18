import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  acceptUntil,
  applyChange,
  closedStatuses,
  creditedStatuses,
  differingFields,
  dueAt,
  isTransition,
  lateUntil,
  mayShareSlot,
  openStatuses,
  type Payment,
  type PaymentRequest,
  type PaymentStatus,
  paymentStatuses,
  slotUntil,
  type Trigger,
  transitions,
} from '../../src/rules/payments/payment.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { payment, start } from '../support/builders.ts'

// docs/domain.md §2.2, written down a second time: from, to, trigger.
const table = `
  new         processing   payer-claimed
  new         processing   money-partial
  new         paid         money-right
  expired     processing   money-partial
  processing  paid         money-right
  expired     paid         money-right
  new         paid         money-late
  processing  paid         money-late
  expired     paid         money-late
  new         disput-paid  money-mismatch-credited
  processing  disput-paid  money-mismatch-credited
  expired     disput-paid  money-mismatch-credited
  new         disput       money-mismatch-review
  processing  disput       money-mismatch-review
  expired     disput       money-mismatch-review
  processing  disput       receipt-at-deadline
  expired     disput       dispute-opened
  canceled    disput       dispute-opened
  failed      disput       dispute-opened
  paid        disput       correction-opened
  disput-paid disput       correction-opened
  disput      disput-paid  dispute-accepted
  disput      paid         dispute-rejected
  disput      disput-paid  dispute-rejected
  disput      expired      dispute-rejected
  disput      canceled     dispute-rejected
  disput      failed       dispute-rejected
  new         expired      time-out
  processing  expired      time-out
  new         canceled     canceled
  processing  canceled     canceled
  new         failed       service-closed`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/) as [PaymentStatus, PaymentStatus, Trigger])

const triggers = [...new Set(transitions.map((each) => each.trigger)), 'created' as const]
const listed = new Set(table.map((row) => row.join(' ')))

test('exactly the changes of the table are allowed', () => {
  for (const from of paymentStatuses) {
    for (const to of paymentStatuses) {
      for (const trigger of triggers) {
        assert.equal(
          isTransition(from, to, trigger),
          listed.has(`${from} ${to} ${trigger}`),
          `${from} ${to} ${trigger}`,
        )
      }
    }
  }
})

test('each row of the table is there once', () => {
  const rows = transitions.flatMap(({ from, to, trigger }) => from.map((each) => `${each} ${to} ${trigger}`))
  assert.deepEqual(rows.toSorted(), [...listed].toSorted())
})

test('every status is reached from new, and money never leads back to unpaid', () => {
  const reached = new Set<PaymentStatus>(['new'])
  for (let before = 0; before < reached.size; ) {
    before = reached.size
    for (const [from, to] of table) if (reached.has(from)) reached.add(to)
  }
  assert.deepEqual(reached, new Set(paymentStatuses))
  for (const [from, to] of table) assert.ok(!creditedStatuses.has(from) || to === 'disput', `${from} → ${to}`)
  assert.ok(!table.some(([, to]) => to === 'new'))
})

test('open, closed and disput are all statuses, each once', () => {
  assert.deepEqual([...openStatuses, ...closedStatuses, 'disput'].toSorted(), [...paymentStatuses].toSorted())
})

test('what the table does not list throws and names the payment', () => {
  assert.throws(
    () => applyChange(payment({ status: 'paid' }), { to: 'expired', reason: 'timeout', trigger: 'time-out' }, start),
    /payment payment: no transition paid → expired by time-out/,
  )
})

test('a change numbers itself, resets the acknowledgement and never goes back in time', () => {
  const acknowledged = payment({ status: 'paid', received: 5000_00n, sequence: 2, acknowledgedAt: start })
  const change = { to: 'disput', reason: 'correction', trigger: 'correction-opened' } as const
  const after = applyChange(acknowledged, change, start + minute)
  assert.deepEqual(after, {
    ...acknowledged,
    status: 'disput',
    statusReason: 'correction',
    sequence: 3,
    acknowledgedAt: null,
    changedAt: start + minute,
  })
  assert.equal(applyChange(acknowledged, change, start - minute).changedAt, start)
  assert.ok(!('to' in after) && !('trigger' in after) && !('reason' in after))
})

test('only disput-paid has a finalAmount', () => {
  const credited = applyChange(
    payment(),
    { to: 'disput-paid', reason: 'underpaid', trigger: 'money-mismatch-credited', received: 7n, finalAmount: 7n },
    start,
  )
  assert.deepEqual([credited.received, credited.finalAmount], [7n, 7n])
  const opened = applyChange(credited, { to: 'disput', reason: 'correction', trigger: 'correction-opened' }, start)
  assert.deepEqual([opened.received, opened.finalAmount], [7n, null])
})

const expiredAt = start + 30 * minute
const grace = 15 * minute
const due: readonly (readonly [title: string, fields: Partial<Payment>, at: number | null])[] = [
  ['new', {}, expiredAt],
  ['processing, claimed at 10 min', { status: 'processing', claimedAt: start + 10 * minute }, start + 130 * minute],
  ['processing, claimed, deadline before expiry', { status: 'processing', claimedAt: start - 3 * hour }, expiredAt],
  ['processing with part of the money', { status: 'processing', received: 1n }, expiredAt + grace],
  ['processing, claimed and with money', { status: 'processing', received: 1n, claimedAt: start }, start + 2 * hour],
  ['processing, whose part was taken back', { status: 'processing' }, expiredAt + grace],
  ...(['paid', 'disput', 'disput-paid', 'expired', 'canceled', 'failed'] as const).map(
    (status) => [status, { status }, null] as const,
  ),
]

for (const [title, fields, at] of due) test(`due: ${title}`, () => assert.equal(dueAt(payment(fields)), at))

const now = start + 5 * minute
const slots: readonly (readonly [title: string, fields: Partial<Payment>, until: number | null])[] = [
  ['paid: until the cool-down ends', { status: 'paid' }, now + hour],
  ['disput-paid: until the cool-down ends', { status: 'disput-paid' }, now + hour],
  ['canceled and never shown: free at once', { status: 'canceled', requisiteShown: false }, now],
  ['failed and never shown: free at once', { status: 'failed', requisiteShown: false }, now],
  ['canceled after it was shown: unchanged', { status: 'canceled' }, null],
  ['failed after it was shown: unchanged', { status: 'failed' }, null],
  ['expired, even never shown: unchanged', { status: 'expired', requisiteShown: false }, null],
  ['processing: until the late window ends', { status: 'processing', claimedAt: now }, expiredAt + grace + day],
  ['disput: unchanged', { status: 'disput' }, null],
]

for (const [title, fields, until] of slots) {
  test(`slot of a payment that is ${title}`, () => assert.equal(slotUntil(payment(fields), now), until))
}

test('money counts until the grace ends; the slot is held until the late window ends', () => {
  assert.equal(acceptUntil(payment()), expiredAt + grace)
  assert.equal(lateUntil(payment()), expiredAt + grace + day)
})

test('a claimed payment holds its slot for as long as it is open, however short the late window is', () => {
  const short = { graceMs: 0, lateWindowMs: 0, confirmDeadlineMs: 2 * hour }
  const claimed = payment({ status: 'processing', claimedAt: expiredAt - 1 }, short)
  assert.equal(slotUntil(claimed, now), expiredAt - 1 + 2 * hour)
  assert.equal(slotUntil(payment({ status: 'processing', received: 1n }, short), now), expiredAt)
})

const request: PaymentRequest = {
  type: 'direct',
  method: 'sbp',
  amount: 5000_00n,
  currency: 'rub',
  orderId: 'order',
  sbpEnabled: false,
  transferScope: null,
  bankIssuer: null,
  userId: null,
  returnUrl: null,
  locale: null,
  metadata: null,
}
const differences: readonly (readonly [fields: Partial<PaymentRequest>, stored: Partial<Payment>, names: string[]])[] =
  [
    [{}, {}, []],
    [{ orderId: 'other' }, {}, []],
    [{ amount: 1n }, {}, ['amount']],
    [{ type: 'staged' }, {}, ['type']],
    [{ method: 'card-to-card' }, {}, ['method']],
    [{ currency: 'kzt' }, {}, ['currency']],
    [{ sbpEnabled: true }, {}, ['sbpEnabled']],
    [{ bankIssuer: 'bank-a' }, {}, ['bankIssuer']],
    [{ transferScope: 'international' }, {}, ['transferScope']],
    [{ returnUrl: 'https://a' }, {}, ['returnUrl']],
    [{ locale: 'ru' }, {}, ['locale']],
    [{ metadata: { cart: '1' } }, {}, []],
    [{ userId: 'user' }, { userIdGiven: true }, []],
    [{ userId: 'user' }, { userIdGiven: false }, ['userId']],
    [{ userId: null }, { userIdGiven: true }, ['userId']],
    [{ amount: 1n, locale: 'ru' }, {}, ['amount', 'locale']],
  ]

for (const [fields, stored, names] of differences) {
  const asked = Object.keys(fields).join(', ') || 'the same'
  test(`a repeated request with ${asked} differs in ${names.join(', ') || 'nothing'}`, () =>
    assert.deepEqual(differingFields({ ...request, ...fields }, payment(stored)), names))
}

test('a payment shares its amount as its terms say, by default if it is staged', () => {
  assert.deepEqual(
    (['direct', 'staged'] as const).map((type) =>
      ([undefined, 'share', 'refuse'] as const).map((equalAmounts) =>
        mayShareSlot(type, equalAmounts === undefined ? {} : { equalAmounts }),
      ),
    ),
    [
      [false, true, false],
      [true, true, false],
    ],
  )
})

// 2026-01-28 is a Wednesday.
const lateEnds: readonly (readonly [title: string, graceEnds: string, windowMs: number, until: string])[] = [
  ['within the week', '2026-01-28T10:00Z', day, '2026-01-29T10:00Z'],
  ['over the weekend', '2026-01-30T10:00Z', day, '2026-02-02T10:00Z'],
  ['to the last moment of Friday', '2026-01-29T00:00Z', 2 * day, '2026-01-31T00:00Z'],
  ['from Saturday', '2026-01-31T10:00Z', day, '2026-02-03T00:00Z'],
  ['from Sunday', '2026-02-01T23:59Z', day, '2026-02-03T00:00Z'],
  ['from the first moment of Saturday', '2026-01-31T00:00Z', hour, '2026-02-02T01:00Z'],
  ['from the first moment of Monday', '2026-02-02T00:00Z', hour, '2026-02-02T01:00Z'],
  ['over three weekends', '2026-01-30T12:00Z', 15 * day, '2026-02-20T12:00Z'],
  ['of no length, on Saturday', '2026-01-31T10:00Z', 0, '2026-01-31T10:00Z'],
]
for (const [title, graceEnds, lateWindowMs, until] of lateEnds) {
  const late = payment({ expiredAt: Date.parse(graceEnds) - grace }, { lateWindowMs })
  test(`a late window by account transfer ${title}`, () => {
    assert.equal(
      new Date(lateUntil({ ...late, method: 'account-to-account' })).toISOString(),
      new Date(until).toISOString(),
    )
  })
  test(`a late window by an instant method ${title}`, () => {
    for (const method of ['sbp', 'card-to-card', 'by-phone'] as const)
      assert.equal(lateUntil({ ...late, method }), Date.parse(graceEnds) + lateWindowMs)
  })
}

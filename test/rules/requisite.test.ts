import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import {
  addUsage,
  beyondFairShare,
  chooseRequisite,
  chooseShared,
  fairShare,
  hasUsageLimits,
  judgeRequisite,
  noUsage,
  overused,
  type Requisite,
  type RequisiteLimits,
  type RequisiteRefusal,
  type RequisiteUsage,
  type RequisiteWish,
  roomLeft,
  subtractUsage,
} from '../../src/rules/requisites/requisite.ts'
import { minuteOfDay, periodStarts } from '../../src/rules/time.ts'
import { requisite, requisiteWish, start } from '../support/builders.ts'

const wish = requisiteWish(5000_00n)
const used = (fields: Partial<RequisiteUsage>): RequisiteUsage => ({ ...noUsage, ...fields })

type Judged = readonly [
  title: string,
  refused: RequisiteRefusal | undefined,
  requisite?: Partial<Requisite>,
  limits?: Partial<RequisiteLimits>,
  wish?: Partial<RequisiteWish>,
  usage?: Partial<RequisiteUsage>,
  slotTaken?: boolean,
]

const judged: readonly Judged[] = [
  ['own', undefined],
  ['shared', undefined, { merchantId: null }],
  ['shared, for a merchant with its own only', 'shared', { merchantId: null }, {}, { ownOnly: true }],
  ['own, for a merchant with its own only', undefined, {}, {}, { ownOnly: true }],
  ['paused', 'not-active', { status: 'paused' }],
  ['retired', 'not-active', { status: 'retired' }],
  ['of another merchant', 'other-merchant', { merchantId: 'other' }],
  ['of the sandbox', 'other-mode', { mode: 'sandbox' }],
  ['for a payment of the sandbox', 'other-mode', {}, {}, { mode: 'sandbox' }],
  ['of another method', 'other-method', { method: 'card-to-card' }],
  ['of another currency', 'other-currency', { currency: 'kzt' }],
  ['of another scope', 'other-scope', { transferScope: 'international' }],
  ['of the bank', undefined, {}, {}, { bankIssuer: 'bank-a' }],
  ['of another bank', 'other-bank', {}, {}, { bankIssuer: 'bank-b' }],
  ['at its smallest amount', undefined, {}, { minAmount: 5000_00n }],
  ['below its smallest amount', 'amount-too-small', {}, { minAmount: 5000_01n }],
  ['at its largest amount', undefined, {}, { maxAmount: 5000_00n }],
  ['above its largest amount', 'amount-too-large', {}, { maxAmount: 4999_99n }],
  ['at its limit of open payments', undefined, {}, { openPayments: 3 }, {}, { open: 2 }],
  ['above its limit of open payments', 'open-payments-limit', {}, { openPayments: 3 }, {}, { open: 3 }],
  ['at its count of the day', undefined, {}, { dayCount: 3 }, {}, { dayCount: 2 }],
  ['above its count of the day', 'day-limit', {}, { dayCount: 3 }, {}, { dayCount: 3 }],
  ['at its sum of the day', undefined, {}, { dayAmount: 9000_00n }, {}, { dayAmount: 4000_00n }],
  ['above its sum of the day', 'day-limit', {}, { dayAmount: 9000_00n }, {}, { dayAmount: 4000_01n }],
  ['at its count of the month', undefined, {}, { monthCount: 3 }, {}, { monthCount: 2 }],
  ['above its count of the month', 'month-limit', {}, { monthCount: 3 }, {}, { monthCount: 3 }],
  ['at its sum of the month', undefined, {}, { monthAmount: 9000_00n }, {}, { monthAmount: 4000_00n }],
  ['above its sum of the month', 'month-limit', {}, { monthAmount: 9000_00n }, {}, { monthAmount: 4000_01n }],
  ['unpaid ones count half', undefined, {}, { dayCount: 9 }, {}, { dayCount: 8, dayUnpaid: 4 }],
  ['money counts whole', 'day-limit', {}, { dayCount: 9 }, {}, { dayCount: 13, dayUnpaid: 4 }],
  [
    'any number of unpaid ones leaves half of the room',
    undefined,
    {},
    { dayCount: 9 },
    {},
    { dayCount: 999, dayUnpaid: 999 },
  ],
  ['the last one of a day, next to unpaid ones', undefined, {}, { dayCount: 9 }, {}, { dayCount: 28, dayUnpaid: 20 }],
  [
    'unpaid sums leave half of the room',
    undefined,
    {},
    { dayAmount: 10_000_00n },
    {},
    { dayAmount: 90_000_00n, dayUnpaidAmount: 90_000_00n },
  ],
  [
    'more than the half that unpaid sums leave',
    'day-limit',
    {},
    { dayAmount: 9_999_98n },
    {},
    { dayAmount: 90_000_00n, dayUnpaidAmount: 90_000_00n },
  ],
  ['unpaid ones of the month', undefined, {}, { monthCount: 3 }, {}, { monthCount: 15, monthUnpaid: 15 }],
  [
    'shared, at its share of the open payments',
    'open-payments-limit',
    { merchantId: null },
    { openPayments: 4 },
    { isPoolContested: true },
    { open: 3, openOf: ['merchant', 'merchant', 'merchant'] },
  ],
  [
    'shared, with the open payments of others',
    undefined,
    { merchantId: null },
    { openPayments: 4 },
    { isPoolContested: true },
    { open: 3, openOf: ['merchant', 'merchant', 'other'] },
  ],
  [
    'shared, for the only merchant',
    undefined,
    { merchantId: null },
    { openPayments: 4 },
    {},
    { open: 3, openOf: ['merchant', 'merchant', 'merchant'] },
  ],
  [
    'shared, with one open payment allowed',
    undefined,
    { merchantId: null },
    { openPayments: 1 },
    { isPoolContested: true },
  ],
  ['with a limit of nothing', 'open-payments-limit', {}, { openPayments: 0 }],
  ['whose slot is taken', 'slot-taken', {}, {}, {}, {}, true],
]

for (const [title, refused, fields = {}, limits = {}, wanted = {}, usage = {}, slotTaken = false] of judged) {
  test(`a requisite ${title} is ${refused === undefined ? 'fit' : `refused: ${refused}`}`, () => {
    const [each, all] = [requisite(fields, limits), { ...wish, ...wanted }]
    assert.equal(
      judgeRequisite(each, all, start, { usageOf: () => used(usage), isSlotTaken: () => slotTaken }),
      refused,
    )
    const chosen = chooseRequisite([each], all, start, {
      usageOf: () => used(usage),
      isSlotTaken: () => slotTaken,
      hasOpenPayment: () => false,
    })
    assert.equal(chosen, refused === undefined ? each : undefined)
  })
}

// Local time of a requisite in Moscow (UTC+3).
const hours: readonly (readonly [from: number, to: number, local: string, works: boolean])[] = [
  [540, 1260, '08:59', false],
  [540, 1260, '09:00', true],
  [540, 1260, '20:59', true],
  [540, 1260, '21:00', false],
  [1320, 360, '21:59', false],
  [1320, 360, '22:00', true],
  [1320, 360, '23:59', true],
  [1320, 360, '00:00', true],
  [1320, 360, '05:59', true],
  [1320, 360, '06:00', false],
  [0, 1440, '00:00', true],
  [0, 1440, '23:59', true],
]

for (const [from, to, local, works] of hours) {
  test(`working from minute ${from} to ${to} it ${works ? 'works' : 'rests'} at ${local}`, () => {
    const now = Date.parse(`2026-01-31T${local}:30.000+03:00`)
    const each = requisite({}, { workingMinutes: [from, to], utcOffsetMinutes: 180 })
    const refused = judgeRequisite(each, wish, now, { usageOf: () => noUsage, isSlotTaken: () => false })
    assert.equal(refused, works ? undefined : 'outside-working-hours')
  })
}

const periods: readonly (readonly [utc: string, offset: number, day: string, month: string])[] = [
  ['2026-01-31T20:59:59.999Z', 180, '2026-01-30T21:00:00.000Z', '2025-12-31T21:00:00.000Z'],
  ['2026-01-31T21:00:00.000Z', 180, '2026-01-31T21:00:00.000Z', '2026-01-31T21:00:00.000Z'],
  ['2024-02-29T12:00:00.000Z', 0, '2024-02-29T00:00:00.000Z', '2024-02-01T00:00:00.000Z'],
  ['2026-03-01T04:59:00.000Z', -300, '2026-02-28T05:00:00.000Z', '2026-02-01T05:00:00.000Z'],
]

for (const [utc, offset, day, month] of periods) {
  test(`at ${utc} in UTC${offset >= 0 ? '+' : ''}${offset / 60} the day began at ${day}`, () => {
    const starts = periodStarts(Date.parse(utc), offset)
    assert.deepEqual([new Date(starts.day).toISOString(), new Date(starts.month).toISOString()], [day, month])
    assert.equal(minuteOfDay(Date.parse(utc), offset), Math.floor((Date.parse(utc) - starts.day) / 60_000))
  })
}

const room: readonly (readonly [limits: Partial<RequisiteLimits>, usage: Partial<RequisiteUsage>, room: number])[] = [
  [{}, { open: 1000, monthAmount: 10n ** 14n }, 10],
  [{ openPayments: 10 }, {}, 10],
  [{ openPayments: 10 }, { open: 3 }, 7],
  [{ openPayments: 10 }, { open: 10 }, 0],
  [{ openPayments: 10 }, { open: 12 }, 0],
  [{ openPayments: 10, dayCount: 10 }, { open: 1, dayCount: 6 }, 4],
  [{ dayAmount: 1000_00n }, { dayAmount: 999_00n }, 1],
  [{ monthCount: 3 }, { monthCount: 1 }, 7],
  [{ monthAmount: 100n }, { monthAmount: 50n }, 5],
]

for (const [limits, usage, left] of room) {
  test(`room left by ${inspect(limits)}: ${left} tenths`, () =>
    assert.equal(roomLeft(requisite({}, limits), used(usage)), left))
}

type Choice = readonly [
  title: string,
  offered: readonly (readonly [
    id: string,
    own: boolean,
    openLimit: number | null,
    open: number,
    taken?: boolean,
    hasOpenPayment?: boolean,
  ])[],
  chosen: string | undefined,
]

// Offered without an open payment first, then the merchant's own, then the least recently used.
const choices: readonly Choice[] = [
  ['nothing is offered', [], undefined],
  [
    'the least recently used',
    [
      ['a', true, null, 0],
      ['b', true, null, 0],
    ],
    'a',
  ],
  [
    'the own before the pool',
    [
      ['a', true, 10, 9],
      ['b', false, null, 0],
    ],
    'a',
  ],
  [
    'the pool when the own is full',
    [
      ['a', true, 10, 10],
      ['b', false, null, 0],
    ],
    'b',
  ],
  [
    'the pool when the slots of the own are taken',
    [
      ['a', true, null, 0, true],
      ['b', false, null, 0],
    ],
    'b',
  ],
  [
    'the most room',
    [
      ['a', true, 10, 5],
      ['b', true, 10, 2],
      ['c', true, 10, 7],
    ],
    'b',
  ],
  [
    'the least recently used of equal room',
    [
      ['a', true, 10, 5],
      ['b', true, 10, 2],
      ['c', true, 10, 2],
    ],
    'b',
  ],
  [
    'a full room before the used',
    [
      ['a', true, 10, 1],
      ['b', true, null, 0],
      ['c', true, null, 0],
    ],
    'b',
  ],
  [
    'the most room in the pool',
    [
      ['a', false, 10, 5],
      ['b', false, null, 0],
    ],
    'b',
  ],
  [
    'the next when the best slot is taken',
    [
      ['a', true, null, 0, true],
      ['b', true, 10, 5],
    ],
    'b',
  ],
  [
    'one without an open payment before one with more room',
    [
      ['a', true, 10, 5, false, false],
      ['b', true, null, 0, false, true],
    ],
    'a',
  ],
  [
    'the most room of those with open payments when the others are taken',
    [
      ['a', true, null, 0, true, false],
      ['b', true, 10, 5, false, true],
      ['c', true, 10, 2, false, true],
    ],
    'c',
  ],
  [
    "the shared pool's without an open payment before the merchant's own with one",
    [
      ['b', false, null, 0, false, false],
      ['a', true, null, 0, false, true],
    ],
    'b',
  ],
  [
    "the merchant's own before the shared pool when all have open payments",
    [
      ['a', true, 10, 5, false, true],
      ['b', false, null, 0, false, true],
    ],
    'a',
  ],
  [
    'none when all are taken',
    [
      ['a', true, null, 0, true],
      ['b', false, null, 0, true],
    ],
    undefined,
  ],
]

for (const [title, offered, chosen] of choices) {
  test(`chosen is ${title}`, () => {
    const requisites = offered.map(([id, own, openPayments]) =>
      requisite({ id, merchantId: own ? 'merchant' : null }, { openPayments }),
    )
    const find = (id: string) => offered.find((each) => each[0] === id)
    const choice = chooseRequisite(requisites, wish, start, {
      usageOf: (id) => used({ open: find(id)?.[3] ?? 0 }),
      isSlotTaken: (id) => find(id)?.[4] ?? false,
      hasOpenPayment: (id) => find(id)?.[5] ?? false,
    })
    assert.equal(choice?.id, chosen)
  })
}

test('usage counts up, and only limits on usage need it', () => {
  const usage = addUsage(addUsage(noUsage, { merchantId: 'one', amount: 5n }), { merchantId: 'two', amount: 7n })
  assert.deepEqual(usage, {
    ...{ open: 2, dayCount: 2, dayAmount: 12n, monthCount: 2, monthAmount: 12n, openOf: ['one', 'two'] },
    ...{ dayUnpaid: 2, dayUnpaidAmount: 12n, monthUnpaid: 2, monthUnpaidAmount: 12n },
  })
  assert.deepEqual(
    subtractUsage(usage, { merchantId: 'two', amount: 7n }),
    addUsage(noUsage, { merchantId: 'one', amount: 5n }),
  )
  assert.equal(hasUsageLimits(requisite({}, { minAmount: 1n, maxAmount: 2n, workingMinutes: [1, 2] })), false)
  for (const name of ['dayAmount', 'dayCount', 'monthAmount', 'monthCount', 'openPayments']) {
    assert.equal(hasUsageLimits(requisite({}, { [name]: 5 })), true)
  }
  assert.equal(overused(requisite(), usage, { ...wish, amount: 10n ** 14n }), undefined)
})

type Sharing = Readonly<Record<string, number>>
const shared: readonly [string, Sharing, string | undefined, Partial<RequisiteWish>?][] = [
  ['of one whose holders share', { first: 1 }, 'first'],
  ['of two, the one with fewer holders', { first: 3, second: 2 }, 'second'],
  ['of two with equally many, the first', { first: 2, second: 2 }, 'first'],
  ['none has room for more than 50', { first: 50, second: 50 }, undefined],
  ['the one with the last place', { first: 50, second: 49 }, 'second'],
  ['none whose holder does not share', {}, undefined],
  ['none that does not fit', { second: 1 }, undefined, { bankIssuer: 'bank-a' }],
  ['none for a payment that does not share', { first: 1 }, undefined, { mayShare: false }],
]
for (const [title, holders, chosen, fields = {}] of shared) {
  test(`a payment shares ${title}`, () => {
    const offered = [requisite({ id: 'first' }), requisite({ id: 'second', bankIssuer: 'bank-b' })]
    const sharingOn = ({ id }: Requisite): number | undefined => holders[id]
    const occupancy = { usageOf: () => noUsage, sharingOn }
    assert.equal(chooseShared(offered, { ...wish, mayShare: true, ...fields }, start, occupancy)?.id, chosen)
  })
}

test('one merchant may hold an amount on three quarters of the shared requisites, at least on one', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 8, 30, 1600].map(fairShare), [1, 1, 1, 2, 3, 3, 6, 22, 1200])
})

const pool = (count: number): Requisite[] =>
  Array.from({ length: count }, (_, index) => requisite({ id: `shared-${index}`, merchantId: null }))
const shares: readonly [
  title: string,
  offered: Requisite[],
  held: number,
  beyond: string[],
  Partial<RequisiteWish>?,
][] = [
  ['one of one is free for anybody', pool(1), 0, []],
  ['two of four held: all are free', pool(4), 2, []],
  ['three of four held: the last is left to others', pool(4), 3, ['shared-3']],
  ['the only one is held', pool(1), 1, []],
  ['one of two held: the other is left to others', pool(2), 1, ['shared-1']],
  ['a pool that nobody else uses', pool(2), 1, [], { isPoolContested: false }],
  [
    'those that do not fit do not count',
    [...pool(2), requisite({ id: 'sandbox', merchantId: null, mode: 'sandbox' })],
    1,
    ['shared-1', 'sandbox'],
  ],
  ['own ones are never left to others', [...pool(2), requisite({ id: 'own' })], 1, ['shared-1']],
]
for (const [title, offered, held, beyond, fields = {}] of shares) {
  test(`fair share: ${title}`, () => {
    const isHeld = (id: string): boolean => offered.findIndex((each) => each.id === id) < held
    const contested = { ...wish, isPoolContested: true, ...fields }
    const isBeyond = beyondFairShare(offered, contested, start, isHeld)
    assert.deepEqual(
      offered.filter(isBeyond).map(({ id }) => id),
      beyond,
    )
  })
}

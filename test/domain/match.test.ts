import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Candidate, IncomingTransfer } from '../../src/domain/candidate.ts'
import { bankClockSkewMs, matchTransfer } from '../../src/domain/match.ts'
import type { Payment, PaymentStatus } from '../../src/domain/payment.ts'
import { day, hour, minute } from '../../src/domain/time.ts'
import { candidate, payment, start } from '../support/builders.ts'

const incoming = (amount: bigint, fields: Partial<IncomingTransfer> = {}): IncomingTransfer => ({
  currency: 'rub',
  amount,
  bookedAt: start + 5 * minute,
  senderIndex: null,
  ...fields,
})

const other = (
  id: string,
  fields: Partial<Payment> = {},
  held: Partial<Candidate> = {},
  toleranceMinor = 0n,
): Candidate => {
  const made = candidate({ id, ...fields }, held)
  return { ...made, payment: { ...made.payment, terms: { ...made.payment.terms, toleranceMinor } } }
}

const at = (bookedAt: number): Partial<IncomingTransfer> => ({ bookedAt })
const midnight = Date.parse('2026-01-31T00:00:00.000Z')
const onDay = (bookedAt = midnight + day - 1): Partial<IncomingTransfer> => ({
  bookedAt,
  earliestAt: midnight,
  bookedOn: '2026-01-31',
})
const from = (senderIndex: string): Partial<IncomingTransfer> => ({ senderIndex })
const accepted = start + 45 * minute

type Row = readonly [title: string, transfer: IncomingTransfer, candidates: readonly Candidate[], outcome: string]

// Payments of 5000.00 called a, b, …; outcome and the payment it goes to.
const rows: readonly Row[] = [
  ['nobody held the requisite', incoming(5000_00n), [], 'none'],
  ['the exact amount', incoming(5000_00n), [other('a')], 'exact a'],
  ['the exact amount among others', incoming(5000_00n), [other('a', { amount: 1n }), other('b')], 'exact b'],
  ['another currency', incoming(5000_00n, { currency: 'kzt' }), [other('a')], 'none'],
  ['booked before the slot was taken', incoming(5000_00n, at(start - bankClockSkewMs - 1)), [other('a')], 'none'],
  ['booked by a bank whose clock is behind', incoming(5000_00n, at(start - bankClockSkewMs)), [other('a')], 'exact a'],
  [
    'booked when the slot had ended',
    incoming(5000_00n, at(start + hour)),
    [other('a', {}, { heldUntil: start + hour })],
    'none',
  ],
  [
    'booked at the last moment of the slot',
    incoming(5000_00n, at(start + hour - 1)),
    [other('a', {}, { heldUntil: start + hour })],
    'late a',
  ],
  ['booked at the end of the grace', incoming(5000_00n, at(accepted)), [other('a', { status: 'expired' })], 'exact a'],
  ['booked after the grace', incoming(5000_00n, at(accepted + 1)), [other('a', { status: 'expired' })], 'late a'],
  [
    'booked after the grace, still claimed',
    incoming(5000_00n, at(accepted + 1)),
    [other('a', { status: 'processing' })],
    'late a',
  ],
  ['of the day, imported after the grace', incoming(5000_00n, onDay()), [other('a', { status: 'expired' })], 'exact a'],
  ['of the day before the payment', incoming(5000_00n, onDay(start - 1)), [other('a')], 'none'],
  ['of the day on which the payment began', incoming(5000_00n, onDay(start)), [other('a')], 'exact a'],
  ['too little, of the day, imported after the grace', incoming(4000_00n, onDay()), [other('a')], 'under a'],
  ['too much, of the day, imported after the grace', incoming(6000_00n, onDay()), [other('a')], 'over a'],
  [
    'of a day after the time to pay',
    incoming(5000_00n, { bookedAt: midnight + 2 * day - 1, earliestAt: midnight + day }),
    [other('a', { status: 'expired' })],
    'late a',
  ],
  [
    'too little, of a day after the time to pay',
    incoming(4000_00n, { bookedAt: midnight + 2 * day - 1, earliestAt: midnight + day }),
    [other('a', { status: 'expired' })],
    'ambiguous a',
  ],
  ['of the day before the slot', incoming(5000_00n, onDay(start - 3 * minute)), [other('a')], 'none'],
  [
    'of the day, the slot held until noon',
    incoming(5000_00n, onDay()),
    [other('a', { status: 'expired' }, { heldUntil: start + hour })],
    'exact a',
  ],
  [
    'of the day, one after the other held the slot',
    incoming(5000_00n, onDay()),
    [other('a', { status: 'expired' }, { heldUntil: start + hour }), other('b', {}, { takenAt: start + 2 * hour })],
    'ambiguous a b',
  ],
  [
    'of the day, the first who held the slot has its money',
    incoming(5000_00n, onDay()),
    [
      other('a', { status: 'paid', received: 5000_00n }, { heldUntil: start + hour }),
      other('b', {}, { takenAt: start + 2 * hour }),
    ],
    'exact b',
  ],
  [
    'of the day, the only one who held the slot has its money',
    incoming(5000_00n, onDay()),
    [other('a', { status: 'paid', received: 5000_00n }, { heldUntil: start + hour })],
    'none a',
  ],
  ['the missing rest', incoming(3000_00n), [other('a', { status: 'processing', received: 2000_00n })], 'exact a'],
  [
    'the whole amount once more on a part',
    incoming(5000_00n),
    [other('a', { status: 'processing', received: 1n })],
    'exact a',
  ],
  [
    'the whole amount within the tolerance after a part',
    incoming(4999_00n),
    [other('a', { status: 'processing', received: 3000_00n }, {}, 100n)],
    'exact a',
  ],
  [
    'the whole amount after a part, late',
    incoming(5000_00n, at(accepted + 1)),
    [other('a', { status: 'processing', received: 1n })],
    'late a',
  ],
  [
    'the whole amount of one in dispute with a part, while another waits',
    incoming(5000_00n),
    [other('a', { status: 'disput', received: 1n }), other('b', { amount: 5100_00n })],
    'ambiguous a b',
  ],
  ['a half for the only one', incoming(2500_00n), [other('a')], 'under a'],
  ['two fifths for the only one', incoming(2000_00n), [other('a')], 'under a'],
  [
    'a round sum for the only one, which has kopecks',
    incoming(2000_00n),
    [other('a', { amount: 5000_37n })],
    'under a',
  ],
  ['as far as the bound for the only one', incoming(1975_00n), [other('a')], 'under a'],
  ['two fifths of an odd amount, rounded down', incoming(2n), [other('a', { amount: 6n })], 'under a'],
  ['further than the bound for the only one', incoming(1974_99n), [other('a')], 'ambiguous a'],
  ['as much more as the bound for the only one', incoming(8025_00n), [other('a')], 'over a'],
  ['more than that for the only one', incoming(8025_01n), [other('a')], 'ambiguous a'],
  ['three quarters for the only one', incoming(1500_00n), [other('a', { amount: 2000_00n })], 'under a'],
  [
    'digits typed the other way round for the only one',
    incoming(4020_00n),
    [other('a', { amount: 4200_00n })],
    'under a',
  ],
  ['a fee taken off for the only one', incoming(4925_00n), [other('a')], 'under a'],
  ['777 for 2000', incoming(777_00n), [other('a', { amount: 2000_00n })], 'ambiguous a'],
  ['a digit too few for the only one', incoming(500_00n), [other('a')], 'ambiguous a'],
  ['twice the amount for the only one', incoming(10_000_00n), [other('a')], 'ambiguous a'],
  [
    'a third after a half, for the only one',
    incoming(1600_00n),
    [other('a', { status: 'processing', received: 2500_00n })],
    'under a',
  ],
  [
    'much less for the only one, from its payer',
    incoming(1n, from('p')),
    [other('a', {}, { payerIndex: 'p' })],
    'under a',
  ],
  ['too little for the only one', incoming(4000_00n), [other('a')], 'under a'],
  ['too much for the only one', incoming(6000_00n), [other('a')], 'over a'],
  [
    'too little, late, for the only one: perhaps a stranger',
    incoming(4000_00n, at(accepted + 1)),
    [other('a', { status: 'expired' })],
    'ambiguous a',
  ],
  [
    'within the tolerance, late, for the only one: perhaps a stranger',
    incoming(4999_00n, at(accepted + 1)),
    [other('a', { status: 'expired' }, {}, 100n)],
    'ambiguous a',
  ],
  [
    'within the tolerance, late, from its payer',
    incoming(4999_00n, { ...at(accepted + 1), ...from('p') }),
    [other('a', { status: 'expired' }, { payerIndex: 'p' }, 100n)],
    'under a',
  ],
  [
    'within the tolerance, of a day after the time to pay',
    incoming(5001_00n, { bookedAt: midnight + 2 * day - 1, earliestAt: midnight + day }),
    [other('a', { status: 'expired' }, {}, 100n)],
    'ambiguous a',
  ],
  [
    'within the tolerance of one, late, from the payer of another in time',
    incoming(4999_00n, { ...at(accepted + 1), ...from('p') }),
    [
      other('a', { status: 'expired' }, {}, 100n),
      other('b', { amount: 4000_00n, expiredAt: start + hour }, { payerIndex: 'p' }, 100n),
    ],
    'over b',
  ],
  [
    'the whole amount within the tolerance after a part, late',
    incoming(4999_00n, at(accepted + 1)),
    [other('a', { status: 'processing', received: 3000_00n }, {}, 100n)],
    'ambiguous a',
  ],
  ['too little, and two wait', incoming(4000_00n), [other('a'), other('b', { amount: 1000_00n })], 'ambiguous a b'],
  [
    'within the tolerance of one of two',
    incoming(4999_00n),
    [other('a', {}, {}, 100n), other('b', { amount: 1000_00n }, {}, 100n)],
    'exact a',
  ],
  [
    'within the tolerance of two',
    incoming(4999_00n),
    [other('a', {}, {}, 100n), other('b', { amount: 4998_00n }, {}, 100n)],
    'ambiguous a b',
  ],
  [
    'exact for one, within the tolerance of another',
    incoming(5000_00n),
    [other('a', { amount: 4999_00n }, {}, 100n), other('b', {}, {}, 100n)],
    'exact b',
  ],
  [
    'exact for two',
    incoming(3000_00n),
    [other('a', { status: 'processing', received: 2000_00n }), other('b', { amount: 3000_00n })],
    'ambiguous a b',
  ],
  [
    'exact for two, from the payer of one',
    incoming(3000_00n, from('p')),
    [
      other('a', { status: 'processing', received: 2000_00n }, { payerIndex: 'p' }),
      other('b', { amount: 3000_00n }, { payerIndex: 'q' }),
    ],
    'exact a',
  ],
  [
    'exact for two, from the payer of both',
    incoming(3000_00n, from('p')),
    [
      other('a', { status: 'processing', received: 2000_00n }, { payerIndex: 'p' }),
      other('b', { amount: 3000_00n }, { payerIndex: 'p' }),
    ],
    'ambiguous a b',
  ],
  [
    'exact for two, from a stranger',
    incoming(3000_00n, from('r')),
    [other('a', { amount: 3000_00n }, { payerIndex: 'p' }), other('b', { amount: 3000_00n }, { payerIndex: 'q' })],
    'ambiguous a b',
  ],
  [
    'too little, from the payer of one of two',
    incoming(4000_00n, from('p')),
    [other('a', {}, { payerIndex: 'p' }), other('b', { amount: 1000_00n })],
    'under a',
  ],
  [
    'exact, from somebody else than the payer',
    incoming(5000_00n, from('r')),
    [other('a', {}, { payerIndex: 'p' })],
    'exact a',
  ],
  [
    'the same again after paid',
    incoming(5000_00n),
    [other('a', { status: 'paid', received: 5000_00n })],
    'paid-again a',
  ],
  [
    'the same again after disput-paid',
    incoming(5000_00n),
    [other('a', { status: 'disput-paid', received: 1n })],
    'paid-again a',
  ],
  [
    'the same again after paid, another waits for as much',
    incoming(5000_00n),
    [
      other('a', { status: 'paid', received: 5000_00n }),
      other('b', { status: 'processing', amount: 6000_00n, received: 1000_00n }),
    ],
    'ambiguous b a',
  ],
  ['another amount after paid', incoming(1n), [other('a', { status: 'paid', received: 5000_00n })], 'none a'],
  [
    'another amount, one paid and one waits',
    incoming(4n),
    [other('a', { status: 'paid', received: 5000_00n }), other('b', { amount: 7n })],
    'under b',
  ],
  ...(['disput', 'canceled', 'failed'] satisfies PaymentStatus[]).map(
    (status): Row => [
      `the exact amount for one that is ${status}`,
      incoming(5000_00n),
      [other('a', { status })],
      'none a',
    ],
  ),
]

for (const [title, transfer, candidates, outcome] of rows) {
  for (const order of ['in order', 'reversed'] as const) {
    test(`${title}: ${outcome} (${order})`, () => {
      const match = matchTransfer(transfer, order === 'in order' ? candidates : candidates.toReversed())
      const to = 'candidate' in match ? [match.candidate.payment.id] : match.suggestions.map((each) => each.paymentId)
      assert.equal([match.outcome, ...to].join(' '), outcome)
      assert.ok(match.reasons.length > 0)
    })
  }
}

test('money of a day that ended after the time to pay says why it counts as in time', () => {
  const reasonsOf = (fields: Partial<IncomingTransfer>): readonly string[] =>
    matchTransfer(incoming(5000_00n, fields), [other('a')]).reasons
  const why = 'booked some time on 2026-01-31, part of which was in its time to pay'
  assert.deepEqual(reasonsOf(onDay()), ['the exact amount on the held slot', why])
  assert.deepEqual(reasonsOf(onDay(accepted)), ['the exact amount on the held slot'])
})

test('the sum of what a payer lacks is suggested as that split, whatever the sender is the payer of', () => {
  const mine = { userId: 'ivan', userIdGiven: true }
  const [one, two] = [
    other('a', { ...mine, amount: 2000_00n }, { payerIndex: 'p' }),
    other('b', { ...mine, amount: 3000_00n }),
  ]
  const strangers = [other('c', { amount: 2000_00n, status: 'expired' }), other('d', { amount: 700_00n })]
  const sum = [
    ['a', '2000.00'],
    ['b', '3000.00'],
  ]
  for (const transfer of [incoming(5000_00n), incoming(5000_00n, from('p'))]) {
    const match = matchTransfer(transfer, [...strangers, one, two])
    assert.ok('suggestions' in match)
    assert.equal(match.outcome, 'ambiguous')
    const [best, next, ...others] = match.suggestions
    assert.deepEqual(new Set([best?.paymentId, next?.paymentId]), new Set(['a', 'b']))
    assert.deepEqual(
      best?.split?.map((share) => [share.paymentId, share.amount]),
      sum,
    )
    assert.ok(others.every((each) => each.split === undefined))
  }
  const expired = other('e', { ...mine, amount: 900_00n, status: 'expired' })
  // The open ones, or all that still take money.
  for (const amount of [5000_00n, 5900_00n]) {
    const match = matchTransfer(incoming(amount), [one, two, expired])
    assert.ok('suggestions' in match && match.suggestions[0]?.split, String(amount))
  }
  const others = matchTransfer(incoming(5000_00n), [other('x', { amount: 2000_00n }), other('y', { amount: 3000_00n })])
  assert.ok('suggestions' in others && others.suggestions.every((each) => each.split === undefined))
})

test('suggestions are ranked by their parts, at most ten', () => {
  const candidates = [
    other('far', { amount: 9000_00n }),
    other('near', { amount: 4100_00n }),
    other('payer', { amount: 9000_00n }, { payerIndex: 'p' }),
    other('payer-too', { amount: 9000_00n }, { payerIndex: 'p' }),
    other('canceled', { amount: 4000_00n, status: 'canceled' }),
    other('closed', { amount: 4000_01n, status: 'canceled' }),
    ...Array.from({ length: 8 }, (_, index) => other(`x${index}`, { amount: 900_000_00n })),
  ]
  const match = matchTransfer(incoming(4000_00n, from('p')), candidates)
  assert.ok('suggestions' in match)
  assert.equal(match.suggestions.length, 10)
  const ranked = match.suggestions.map((each) => each.paymentId)
  // Those that cannot take money are no suggestion as long as others can, but for the exact amount.
  assert.deepEqual(ranked.slice(0, 5), ['payer', 'payer-too', 'near', 'canceled', 'far'])
  assert.deepEqual(match.reasons, ['the payment of exactly this amount is canceled'])
  for (const { score, parts } of match.suggestions) {
    assert.equal(
      score,
      Object.values(parts).reduce((sum, points) => sum + points, 0),
    )
    assert.ok(score >= 0 && score <= 100)
  }
  assert.deepEqual(match.suggestions[2]?.parts, {
    ...{ amount: 29, time: 10, sender: 0, name: 0, text: 0, bank: 0, status: 5 },
  })
  assert.deepEqual(match.suggestions[2]?.reasons, ['nearly the amount that is missing', 'booked in time'])
})

test('a paid payment misses no amount, and a part of one misses only what is left', () => {
  const reasonsFor = (amount: bigint, fields: Parameters<typeof other>[1]) => {
    const match = matchTransfer(incoming(amount, from('p')), [other('a', fields)])
    assert.ok('suggestions' in match)
    return [match.suggestions[0]?.parts.amount, match.suggestions[0]?.reasons.filter((each) => /amount/.test(each))]
  }
  const paid = { amount: 5000_00n, received: 5000_00n, status: 'paid' } as const
  assert.deepEqual(reasonsFor(640_00n, paid), [0, []])
  const part = { amount: 5000_00n, received: 4900_00n, status: 'disput' } as const
  assert.deepEqual(reasonsFor(640_00n, part), [4, []])
})

test('a payment takes no money that was booked before its creation, even if it is the only one that waits', () => {
  const match = matchTransfer(incoming(4000_00n, at(start - hour)), [{ ...candidate(), payment: payment() }])
  assert.equal(match.outcome, 'none')
})

test('what the sender wrote, its bank, the end of its number and the time speak for a payment', () => {
  const claimed = { status: 'processing', claimedAt: start + 5 * minute, sourcePan: '*******4567', payerBank: 'bank-a' }
  const one = other('one', { amount: 9000_00n, orderId: 'order-17' })
  const two = other('two', { ...claimed, amount: 9100_00n, orderId: 'order-18' } as Partial<Payment>)
  const reasonsFor = (fields: Partial<IncomingTransfer>): Record<string, readonly string[]> => {
    const match = matchTransfer(incoming(4000_00n, { bookedAt: start + 6 * minute, ...fields }), [one, two])
    assert.ok('suggestions' in match)
    return Object.fromEntries(match.suggestions.map((each) => [each.paymentId, each.reasons ?? []]))
  }
  assert.deepEqual(reasonsFor({ text: 'Оплата заказа ORDER-17, спасибо' }), {
    one: ['booked in time', 'its order is named in the text'],
    two: ['booked when its payer said "I have paid"'],
  })
  assert.deepEqual(reasonsFor({ text: 'order-1', senderMasked: '****4567', senderBank: 'bank-a' }), {
    two: [
      'booked when its payer said "I have paid"',
      'sent from a number that ends like that of its payer',
      'sent from the bank that its payer chose',
    ],
    one: ['booked in time'],
  })
})

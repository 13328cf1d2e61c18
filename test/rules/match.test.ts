import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Candidate, IncomingTransfer } from '../../src/rules/transfers/candidate.ts'
import { bankClockSkewMs } from '../../src/rules/transfers/evidence.ts'
import { matchTransfer } from '../../src/rules/transfers/match.ts'
import type { Payment, PaymentStatus } from '../../src/rules/payments/payment.ts'
import { paymentCode } from '../../src/rules/payments/payment-code.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
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
const userOf = (userId: string): Partial<Payment> => ({ userId, userIdGiven: true })
/** Sent from a number from which these users of the merchant have paid before. */
const paidFor = (...users: string[]): Partial<IncomingTransfer> => ({
  senderIndex: 'known',
  paidBefore: new Set(users.map((user) => JSON.stringify(['merchant', 'user', user]))),
})
const named = (senderName: string): Partial<IncomingTransfer> => ({ senderName })
const shared = (id: string, held: Partial<Candidate> = {}, fields: Partial<Payment> = {}): Candidate =>
  other(id, { type: 'staged', amount: 990_00n, orderId: `shop-${id}`, ...fields }, held)
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
    'none a',
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
    'ambiguous b a',
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
  ['as much as the cap for the only one', incoming(7500_00n), [other('a')], 'over a'],
  ['more than the cap for the only one, within the bound', incoming(8025_00n), [other('a')], 'ambiguous a'],
  [
    'a part and the money before it, more than the cap',
    incoming(5000_01n),
    [other('a', { status: 'processing', received: 2500_00n })],
    'ambiguous a',
  ],
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
    'ambiguous a',
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
    'within the tolerance, late, from the number that its payer has typed',
    incoming(4999_00n, { ...at(accepted + 1), ...from('p') }),
    [other('a', { status: 'expired' }, { payerIndex: 'p' }, 100n)],
    'ambiguous a',
  ],
  [
    'within the tolerance, late, from a number that its user has paid from',
    incoming(4999_00n, { ...at(accepted + 1), ...paidFor('a') }),
    [other('a', { status: 'expired', ...userOf('a') }, {}, 100n)],
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
    'ambiguous b a',
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
    'too little, from the number that the payer of one of two has typed',
    incoming(4000_00n, from('p')),
    [other('a', {}, { payerIndex: 'p' }), other('b', { amount: 1000_00n })],
    'ambiguous a b',
  ],
  [
    'too little, from a number that the user of one of two has paid from',
    incoming(4000_00n, paidFor('a')),
    [other('a', userOf('a')), other('b', { amount: 4500_00n })],
    'under a',
  ],
  [
    'half of what one of two needs, from a number that the user of the other one has paid from',
    incoming(2000_00n, paidFor('a')),
    [other('a', userOf('a')), other('b', { amount: 4000_00n, merchantId: 'another' })],
    'ambiguous a b',
  ],
  [
    'the rest of one, which is half of what another one needs',
    incoming(495_00n),
    [shared('a', {}, { received: 495_00n, status: 'processing' }), shared('b')],
    'ambiguous a b',
  ],
  [
    'the rest of one, which is half of what another one needs, from the number that has sent the first half',
    incoming(495_00n, { senderIndex: 'known', paidBefore: new Set([JSON.stringify(['merchant', 'payment', 'a'])]) }),
    [shared('a', {}, { received: 495_00n, status: 'processing' }), shared('b')],
    'exact a',
  ],
  [
    'double of what one of two needs, from a number that the user of the other one has paid from',
    incoming(6000_00n, paidFor('a')),
    [other('a', userOf('a')), other('b', { amount: 3000_00n })],
    'ambiguous a b',
  ],
  [
    'half of what either needs, from a number that the user of one has paid from',
    incoming(2500_00n, paidFor('a')),
    [other('a', userOf('a')), other('b')],
    'under a',
  ],
  [
    'exact, from another number than the payer has typed',
    incoming(5000_00n, from('r')),
    [other('a', {}, { payerIndex: 'p' })],
    'ambiguous a',
  ],
  [
    'exact, from another number than the payer has typed, from which its user has paid',
    incoming(5000_00n, paidFor('a')),
    [other('a', userOf('a'), { payerIndex: 'p' })],
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
  ['another amount after paid', incoming(1n), [other('a', { status: 'paid', received: 5000_00n })], 'none'],
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

// What was seen, as an attacker, a victim and a shop.
const victim = { amount: 5000_37n, type: 'staged' } as const
const seen: readonly Row[] = [
  [
    'the amount of an attacker, from the number that the victim has typed for 37 kopecks more',
    incoming(5000_00n, from('v')),
    [other('attacker'), other('victim', victim, { payerIndex: 'v' })],
    'ambiguous victim attacker',
  ],
  [
    'the amount of an attacker, from the number that has paid for the victim before',
    incoming(5000_00n, paidFor('v')),
    [other('attacker'), other('victim', { ...victim, ...userOf('v') })],
    'ambiguous victim attacker',
  ],
  [
    'an attacker has typed the number of the victim for a hundredth of the amount',
    incoming(5000_00n, from('v')),
    [other('attacker', { amount: 100_00n }, { payerIndex: 'v' })],
    'ambiguous attacker',
  ],
  [
    'an attacker has typed the number of the victim for a similar amount',
    incoming(5000_00n, from('v')),
    [other('attacker', { amount: 6000_00n }, { payerIndex: 'v' }), other('victim', victim)],
    'ambiguous attacker victim',
  ],
  [
    'an attacker has typed the number of the victim, from which its user has paid before',
    incoming(5000_00n, { ...paidFor('v'), senderIndex: 'v' }),
    [other('attacker', { amount: 4900_00n }, { payerIndex: 'v' }), other('victim', userOf('v'))],
    'exact victim',
  ],
  [
    'nearly the amount of one that was canceled, while another waits',
    incoming(5000_00n),
    [other('canceled', { ...victim, status: 'canceled' }), other('waits', { amount: 4000_00n })],
    'ambiguous canceled waits',
  ],
  [
    'nearly the amount of the one that waits, while another was canceled',
    incoming(3990_00n),
    [other('canceled', { ...victim, status: 'canceled' }), other('waits', { amount: 4000_00n })],
    'under waits',
  ],
  [
    'exactly what one needs, but the text names another one',
    incoming(2500_00n, { text: 'Часть 1 ord-0020' }),
    [other('a', { orderId: 'ord-0020' }), other('b', { amount: 2500_00n, orderId: 'ord-0030' })],
    'under a',
  ],
  [
    'the rest of the one that the text names',
    incoming(2500_00n, { text: 'Часть 2 ord 0020' }),
    [
      other('a', { orderId: 'ord-0020', status: 'processing', received: 2500_00n }),
      other('b', { amount: 2500_00n, orderId: 'ord-0030' }),
    ],
    'exact a',
  ],
  [
    'exactly what one needs, but the text names one that is paid with another amount',
    incoming(2500_00n, { text: 'ord-0020' }),
    [
      other('a', { orderId: 'ord-0020', status: 'paid', received: 5000_00n }),
      other('b', { amount: 2500_00n, orderId: 'ord-0030' }),
    ],
    'ambiguous a b',
  ],
  [
    'far from the amount of the one that the text names',
    incoming(100_00n, { text: 'ord-0020' }),
    [other('a', { orderId: 'ord-0020' })],
    'ambiguous a',
  ],
]

const coded = { isPayerNamed: true } as const
/** A payment of a merchant that has created payments until one had a code that it wants. */
const trap = (fields: Partial<Payment> = {}): Candidate =>
  other('trap', { merchantId: 'thief', ...coded, amount: 4000_00n, ...fields })
const trapCode = paymentCode('trap')

/** The same text of several senders. */
const textsOf = (senders: number, text: string) =>
  Array.from({ length: senders }, (_, index) => ({ sender: `sender-${index}`, text }))

// What a merchant can choose, and what a payer can type, for the money of others.
const stolen: readonly Row[] = [
  [
    'a merchant has chosen an order that contains that of another one',
    incoming(5000_00n, { text: 'Заказ SHOP-00306' }),
    [other('own', { orderId: 'SHOP-00306' }), other('thief', { merchantId: 'thief', orderId: 'заказ SHOP-00306' })],
    'ambiguous own thief',
  ],
  [
    'a merchant has chosen an order that is in many texts',
    incoming(5000_00n, { text: 'Оплата по счёту, в т.ч. НДС 20' }),
    [other('own'), other('thief', { merchantId: 'thief', orderId: 'НДС 20', amount: 4000_00n })],
    'ambiguous thief own',
  ],
  [
    '… and one that several senders write',
    incoming(5000_00n, { text: 'Оплата по счёту, в т.ч. НДС 20', otherTexts: textsOf(5, 'в т.ч. НДС 20 %') }),
    [other('own'), other('thief', { merchantId: 'thief', orderId: 'НДС 20', amount: 4000_00n })],
    'exact own',
  ],
  [
    '… that one sender writes often',
    incoming(5000_00n, {
      text: 'SHOP-00306',
      otherTexts: textsOf(9, 'SHOP-00306').map((each) => ({ ...each, sender: 'one' })),
    }),
    [other('own'), other('a', { merchantId: 'another', orderId: 'SHOP-00306', amount: 4000_00n })],
    'ambiguous a own',
  ],
  [
    '… that a few senders write',
    incoming(5000_00n, { text: 'SHOP-00306', otherTexts: textsOf(4, 'SHOP-00306') }),
    [other('own'), other('a', { merchantId: 'another', orderId: 'SHOP-00306', amount: 4000_00n })],
    'ambiguous a own',
  ],
  [
    'a merchant has chosen an order that is in many texts, and asks for an amount far from the money',
    incoming(5000_00n, { text: 'Оплата по счёту, в т.ч. НДС 20' }),
    [other('own'), other('thief', { merchantId: 'thief', orderId: 'НДС 20', amount: 400_00n })],
    'exact own',
  ],
  [
    'the text names the order of one, too',
    incoming(5000_00n, { text: 'Заказ SHOP-00306, в т.ч. НДС 20' }),
    [
      other('own', { orderId: 'SHOP-00306' }),
      other('thief', { merchantId: 'thief', orderId: 'НДС 20', amount: 4000_00n }),
    ],
    'exact own',
  ],
  [
    'the order of another merchant, from a number that has paid for the user',
    incoming(5000_00n, { ...paidFor('u'), text: 'SHOP-00306' }),
    [other('own', userOf('u')), other('thief', { merchantId: 'thief', orderId: 'SHOP-00306', amount: 9000_00n })],
    'ambiguous thief own',
  ],
  [
    'the name and bank of one are typed, and its order is in many texts; another one waits for as much',
    incoming(990_00n, { ...named('Иван П.'), senderBank: 'bank-a', text: 'НДС 20' }),
    [
      shared('own'),
      shared('thief', { payerName: 'Иван П.' }, { merchantId: 'thief', orderId: 'НДС 20', payerBank: 'bank-a' }),
    ],
    'ambiguous thief own',
  ],
  [
    'a paid one whose code is in the text of another amount',
    incoming(500_00n, { text: paymentCode('paid') }),
    [shared('paid', {}, { ...coded, status: 'paid', received: 990_00n }), shared('waits', {}, { amount: 500_00n })],
    'ambiguous paid waits',
  ],
  [
    'the code that a merchant has chosen is the order of another one',
    incoming(5000_00n, { text: `Заказ ${trapCode}` }),
    [other('own', { orderId: trapCode }), trap()],
    'exact own',
  ],
  [
    '… which needs less',
    incoming(4500_00n, { text: trapCode }),
    [other('own', { orderId: trapCode }), trap()],
    'ambiguous trap own',
  ],
  [
    '… which needs much more',
    incoming(4000_00n, { text: trapCode }),
    [other('own', { orderId: trapCode, amount: 90_000_00n }), trap({ amount: 4100_00n })],
    'ambiguous trap own',
  ],
  [
    '… or both need the same',
    incoming(5000_00n, { text: trapCode }),
    [other('own', { orderId: trapCode }), trap({ amount: 5000_00n })],
    'ambiguous trap own',
  ],
  [
    'the code that a merchant has chosen is in a text without an order',
    incoming(5000_00n, { text: trapCode }),
    [other('own'), trap()],
    'ambiguous trap own',
  ],
  [
    '… and many senders write it',
    incoming(5000_00n, { text: trapCode, otherTexts: textsOf(5, trapCode) }),
    [other('own'), trap()],
    'exact own',
  ],
  [
    'the code of a payment whose payer has not been shown it',
    incoming(5000_00n, { text: trapCode }),
    [other('own'), trap({ isPayerNamed: false })],
    'exact own',
  ],
  [
    'the code of one of two payments of the same amount',
    incoming(5000_00n, { text: trapCode }),
    [other('own'), trap({ amount: 5000_00n })],
    'exact trap',
  ],
  [
    'a merchant has given the number of a payer of another one, who names its order and pays exactly',
    incoming(5000_00n, { ...from('p'), text: 'ord-0020' }),
    [
      other('own', { orderId: 'ord-0020' }),
      other('trap', { merchantId: 'thief', amount: 4000_00n }, { payerIndex: 'p' }),
    ],
    'exact own',
  ],
  [
    '… and both orders are named',
    incoming(5000_00n, { ...from('p'), text: 'ord-0020' }),
    [
      other('own', { orderId: 'ord-0020' }),
      other('trap', { merchantId: 'thief', orderId: 'ord-0020', amount: 4000_00n }, { payerIndex: 'p' }),
    ],
    'exact own',
  ],
  [
    '… who names no order, and may have rounded the amount for the other merchant',
    incoming(5000_00n, from('p')),
    [other('own'), other('trap', { merchantId: 'thief', amount: 5000_37n }, { payerIndex: 'p' })],
    'ambiguous trap own',
  ],
  [
    'late money of a victim who has rounded it, while an attacker waits',
    incoming(5000_00n, { ...from('v'), ...at(start + 5 * hour) }),
    [
      other('victim', { ...victim, status: 'expired' }, { payerIndex: 'v', heldUntil: start + 2 * hour }),
      other('attacker', { amount: 4000_00n, createdAt: start + 5 * hour, expiredAt: start + 6 * hour }),
    ],
    'ambiguous victim attacker',
  ],
  [
    'a user who has paid one waits with another amount',
    incoming(990_00n),
    [
      shared('a', {}, { status: 'paid', received: 990_00n, ...userOf('u') }),
      shared('b', {}, { amount: 700_00n, ...userOf('u') }),
    ],
    'paid-again a',
  ],
  [
    'a name that is like everybody’s',
    incoming(990_00n, { ...named('Мария С.'), senderBank: 'bank-a' }),
    [
      shared('attacker', { payerName: 'Мария Иван А Б С' }, { payerBank: 'bank-a' }),
      shared('victim', { payerName: 'Сидорова Марина' }, { payerBank: 'bank-a' }),
    ],
    'ambiguous attacker victim',
  ],
]

// Payments that share an amount.
const ivan = { payerName: 'Иван П.' }
const oleg = { payerName: 'Олег Котов' }
const shop: readonly Row[] = [
  ['two hold the amount, and nothing tells them apart', incoming(990_00n), [shared('a'), shared('b')], 'ambiguous a b'],
  [
    'the name and the bank of one of two',
    incoming(990_00n, { ...named('ПЕТРОВ ИВАН'), senderBank: 'bank-a' }),
    [shared('a', ivan, { payerBank: 'bank-a' }), shared('b', oleg, { payerBank: 'bank-a' })],
    'exact a',
  ],
  [
    'the name of one of two: one of a thousand others has it, too',
    incoming(990_00n, named('ПЕТРОВ ИВАН')),
    [shared('a', ivan), shared('b', oleg)],
    'ambiguous a b',
  ],
  [
    'not the name of one of two, and the other has given none',
    incoming(990_00n, named('Иван Петров')),
    [shared('a'), shared('b', oleg)],
    'ambiguous a b',
  ],
  [
    'an attacker has typed the number and the name of a victim who has mistyped its name',
    incoming(990_00n, { ...named('Иван Петров'), ...from('p'), senderBank: 'bank-a' }),
    [
      shared('attacker', { ...ivan, payerIndex: 'p' }, { payerBank: 'bank-a' }),
      shared('victim', { ...oleg, payerIndex: 'p' }, { payerBank: 'bank-a' }),
    ],
    'ambiguous attacker victim',
  ],
  [
    'the name of one, and another has given none',
    incoming(990_00n, named('Иван Петров')),
    [shared('a', ivan), shared('b')],
    'ambiguous a b',
  ],
  [
    'a name that two may have',
    incoming(990_00n, named('Иван П.')),
    [shared('a', ivan), shared('b', { payerName: 'Иван Павлов' })],
    'ambiguous a b',
  ],
  ['the name of nobody', incoming(990_00n, named('Мария С.')), [shared('a', ivan), shared('b', oleg)], 'ambiguous a b'],
  [
    'the number of one of two, who has typed it',
    incoming(990_00n, from('p')),
    [shared('a', { payerIndex: 'p' }), shared('b', { payerIndex: 'q' })],
    'exact a',
  ],
  [
    'the number of one, and another has typed none',
    incoming(990_00n, from('p')),
    [shared('a', { payerIndex: 'p' }), shared('b')],
    'ambiguous a b',
  ],
  [
    'one has not been shown the account yet',
    incoming(990_00n),
    [shared('a'), shared('b', {}, { requisiteShown: false })],
    'exact a',
  ],
  [
    'the order of one of two',
    incoming(990_00n, { text: 'Оплата SHOP 17' }),
    [shared('a', {}, { orderId: 'shop-0017' }), shared('b', {}, { orderId: 'shop-0018' })],
    'exact a',
  ],
  [
    'the number that paid one before, while another waits',
    incoming(990_00n, { ...from('p'), paidBefore: new Set([JSON.stringify(['merchant', 'payment', 'a'])]) }),
    [shared('a', ivan, { status: 'paid', received: 990_00n }), shared('b', oleg)],
    'paid-again a',
  ],
  [
    'the name and bank that paid one before, while another waits who may have mistyped its name',
    incoming(990_00n, { ...named('Иван П.'), senderBank: 'bank-a' }),
    [
      shared(
        'a',
        { ...ivan, paidNames: ['Петров Иван'], paidBanks: ['bank-a'] },
        { status: 'paid', received: 990_00n },
      ),
      shared('b', oleg),
    ],
    'ambiguous a b',
  ],
  [
    'a name that paid one before, from another bank, while another one of that name waits',
    incoming(990_00n, { ...named('Иван П.'), senderBank: 'bank-b' }),
    [
      shared('a', { paidNames: ['Петров Иван'], paidBanks: ['bank-a'] }, { status: 'paid', received: 990_00n }),
      shared('b', ivan, { payerBank: 'bank-b' }),
    ],
    'exact b',
  ],
  [
    'the name of the one that waits, another one is paid',
    incoming(990_00n, named('Котов Олег')),
    [shared('a', { paidNames: ['Петров Иван'] }, { status: 'paid', received: 990_00n }), shared('b', oleg)],
    'exact b',
  ],
  [
    'a name of the payers of one that is paid and one that waits',
    incoming(990_00n, named('Иван П.')),
    [
      shared('a', { paidNames: ['Иван Павлов'] }, { status: 'paid', received: 990_00n }),
      shared('b', { payerName: 'Иван Петров' }),
    ],
    'ambiguous b a',
  ],
  [
    'a user who has paid one waits with another one',
    incoming(990_00n, from('p')),
    [
      shared('a', { payerIndex: 'p' }, { status: 'paid', received: 990_00n, ...userOf('u') }),
      shared('b', { payerIndex: 'p' }, userOf('u')),
      shared('c', { payerIndex: 'q' }),
    ],
    'exact b',
  ],
  [
    'paid twice by a victim, whose number an attacker has typed',
    incoming(990_00n, { ...paidFor('v'), senderIndex: 'p' }),
    [
      shared('victim', { payerIndex: 'p' }, { status: 'paid', received: 990_00n, ...userOf('v') }),
      shared('attacker', { payerIndex: 'p' }),
    ],
    'ambiguous victim attacker',
  ],
  [
    'the number that one has typed, and another one is paid from another number',
    incoming(990_00n, { ...from('p'), senderMasked: '*******4567' }),
    [
      shared('a', {}, { status: 'paid', received: 990_00n, sourcePan: '*******1234', type: 'direct' }),
      shared('b', { payerIndex: 'p' }, { sourcePan: '*******4567' }),
    ],
    'exact b',
  ],
]

for (const [title, transfer, candidates, outcome] of [...rows, ...seen, ...shop, ...stolen]) {
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
  assert.deepEqual(reasonsOf(onDay()), ['exactly the amount that is missing', why])
  assert.deepEqual(reasonsOf(onDay(accepted)), ['exactly the amount that is missing', 'booked in its time to pay'])
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

test('suggestions are ranked by what identifies the payer, then by the difference of the amounts, at most ten', () => {
  const candidates = [
    other('far', { amount: 9000_00n }),
    other('near', { amount: 4100_00n }),
    other('payer', { amount: 9000_00n }, { payerIndex: 'p' }),
    other('named', { amount: 80_000_00n, orderId: 'ord-77' }),
    other('canceled', { amount: 4000_00n, status: 'canceled' }),
    other('closed', { amount: 4000_01n, status: 'canceled' }),
    ...Array.from({ length: 8 }, (_, index) => other(`x${index}`, { amount: 900_000_00n })),
  ]
  const match = matchTransfer(incoming(4000_00n, { ...from('p'), text: 'часть за ord 77' }), candidates)
  assert.ok('suggestions' in match)
  assert.equal(match.suggestions.length, 10)
  const ranked = match.suggestions.map((each) => each.paymentId)
  assert.deepEqual(ranked.slice(0, 6), ['named', 'canceled', 'payer', 'closed', 'near', 'far'])
})

test('of two similar amounts the nearer one is suggested first, however large they are', () => {
  const two = [other('far', { amount: 26_342_51n }), other('near', { amount: 26_158_84n })]
  const match = matchTransfer(incoming(26_158_82n), two)
  assert.ok('suggestions' in match)
  assert.deepEqual(
    match.suggestions.map(({ paymentId, amount, difference, evidence }) => [
      ...[paymentId, amount, difference, evidence.amount.verdict],
    ]),
    [
      ['near', '26158.84', '-0.02', 'unknown'],
      ['far', '26342.51', '-183.69', 'unknown'],
    ],
  )
})

test('half of what one payment needs is suggested for it before a nearer amount', () => {
  const match = matchTransfer(incoming(2244_88n), [
    other('near', { amount: 1990_00n }),
    other('half', { amount: 4489_76n }),
  ])
  assert.ok('suggestions' in match)
  assert.equal(match.suggestions[0]?.paymentId, 'half')
})

test('where there is nothing to compare, no criterion speaks against a payment', () => {
  const match = matchTransfer(incoming(4900_00n, { text: 'спасибо' }), [other('a'), other('b')])
  assert.ok('suggestions' in match)
  for (const { evidence } of match.suggestions) {
    const { number, name, order, bank } = evidence
    for (const { verdict, why } of [number, name, order, bank]) assert.ok(verdict === 'unknown' && why !== '')
  }
})

test('a paid payment is suggested for another amount only if the sender is like its payer, or it was paid in part', () => {
  const suggestedFor = (fields: Partial<Payment>, transfer: Partial<IncomingTransfer> = {}) => {
    const match = matchTransfer(incoming(640_00n, transfer), [other('a', { status: 'paid', ...fields })])
    assert.ok('suggestions' in match)
    return match.suggestions.map(({ paymentId }) => paymentId)
  }
  const paid = { amount: 5000_00n, received: 5000_00n, sourcePan: '*******4567' } as const
  assert.deepEqual(suggestedFor(paid), [])
  assert.deepEqual(suggestedFor(paid, { senderIndex: 'm', senderMasked: '****4567' }), ['a'])
  assert.deepEqual(suggestedFor({ ...paid, received: 4000_00n, status: 'disput-paid' }), ['a'])
})

test('a paid payment misses no amount, and a part of one misses only what is left', () => {
  const amountOf = (amount: bigint, fields: Partial<Payment>) => {
    const match = matchTransfer(incoming(amount, { senderIndex: 'm', senderMasked: '****4567' }), [
      other('a', { sourcePan: '*******4567', ...fields }),
    ])
    assert.ok('suggestions' in match)
    const [{ evidence, difference } = assert.fail()] = match.suggestions
    return [evidence.amount.verdict, difference]
  }
  const paid = { amount: 5000_00n, received: 5000_00n, status: 'paid' } as const
  assert.deepEqual(amountOf(640_00n, paid), ['contradicts', '-4360.00'])
  const part = { amount: 5000_00n, received: 4900_00n, status: 'disput' } as const
  assert.deepEqual(amountOf(640_00n, part), ['unknown', '540.00'])
})

test('a payment takes no money that was booked before its creation, even if it is the only one that waits', () => {
  const match = matchTransfer(incoming(4000_00n, at(start - hour)), [{ ...candidate(), payment: payment() }])
  assert.equal(match.outcome, 'none')
})

test('what the sender wrote, its bank, the end of its number and the time speak for a payment', () => {
  const claimed = { status: 'processing', claimedAt: start + 5 * minute, sourcePan: '*******4567', payerBank: 'bank-a' }
  const one = other('one', { amount: 9000_00n, orderId: 'order-17' })
  const two = other('two', { ...claimed, amount: 9100_00n, orderId: 'order-18' } as Partial<Payment>)
  const spokenFor = (fields: Partial<IncomingTransfer>): Record<string, readonly string[]> => {
    const match = matchTransfer(incoming(400_00n, { bookedAt: start + 6 * minute, ...fields }), [one, two])
    assert.ok('suggestions' in match)
    return Object.fromEntries(
      match.suggestions.map(({ paymentId, evidence }) => [
        paymentId,
        Object.values(evidence).flatMap(({ verdict, why }) => (verdict === 'supports' ? [why] : [])),
      ]),
    )
  }
  assert.deepEqual(spokenFor({ text: 'Оплата заказа ORDER-17, спасибо' }), {
    one: ['its order is named in the text'],
    two: ['booked when its payer said "I have paid"'],
  })
  assert.deepEqual(spokenFor({ text: 'order-1', senderIndex: 'm', senderMasked: '****4567', senderBank: 'bank-a' }), {
    two: [
      'sent from a number that ends like that of its payer',
      'sent from the bank that its payer chose',
      'booked when its payer said "I have paid"',
    ],
    one: [],
  })
})

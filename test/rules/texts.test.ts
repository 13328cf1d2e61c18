// Rules about texts: order identifiers, masks, keys of transfers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maskKnownNumber, maskNumber, maskNumbers, maskSource } from '../../src/rules/values/masking.ts'
import { isOrderId } from '../../src/rules/payments/order-id.ts'
import { formatInstant } from '../../src/rules/time.ts'
import { dedupeKeys, type ReportedTransfer } from '../../src/rules/transfers/transfer.ts'

const orderIds: readonly (readonly [title: string, value: string, accepted: boolean])[] = [
  ['one character', 'a', true],
  ['128 characters', 'a'.repeat(128), true],
  ['129 characters', 'a'.repeat(129), false],
  ['128 characters of two units', '😀'.repeat(128), true],
  ['129 characters of two units', '😀'.repeat(129), false],
  ['128 units of 64 characters and one more', `${'😀'.repeat(64)}a`, true],
  ['nothing', '', false],
  ['one dot', '.', false],
  ['two dots', '..', false],
  ['three dots', '...', true],
  ['a space', ' ', true],
  ['slashes, dots and percents', '../../%2e%2e/?#&', true],
  ['letters of any script', 'заказ-№1-注文-طلب', true],
  ['a quote, a backslash', `"'\\`, true],
  ['a combining mark', 'e\u0301', true],
  ['a newline', 'a\nb', false],
  ['a tab', 'a\tb', false],
  ['NUL', 'a\0', false],
  ['DEL', 'a\u007f', false],
  ['a zero-width joiner', 'a\u200db', false],
  ['a right-to-left override', 'a\u202eb', false],
  ['a byte order mark', '\ufeffa', false],
  ['a line separator', 'a\u2028b', false],
  ['a private character', '\ue000', false],
  ['an unassigned character', '\u0378', false],
  ['half of a pair', '\ud83d', false],
  ['the other half', '\ude00', false],
]

for (const [title, value, accepted] of orderIds) {
  test(`an orderId of ${title} is ${accepted ? 'accepted' : 'refused'}`, () => assert.equal(isOrderId(value), accepted))
}

const numbers: readonly (readonly [value: string, number: string, source: string])[] = [
  ['79991234567', '•••• 4567', '*******4567'],
  ['2200000000000004', '•••• 0004', '************0004'],
  ['+7 (999) 123-45-67', '•••• 4567', '*******4567'],
  ['12345', '•••• 2345', '*2345'],
  ['1234', '••••', '****'],
  ['12', '••••', '**'],
  ['', '••••', ''],
  ['no digits', '••••', ''],
  ['*******4567', '•••• 4567', '****'],
]

for (const [value, number, source] of numbers) {
  test(`${value || 'nothing'} is masked ${number} and ${source || 'empty'}`, () => {
    assert.equal(maskNumber(value), number)
    assert.equal(maskSource(value), source)
  })
}

test('a mask shows at most the last four digits', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('0123456789 +-')), maxLength: 40 }), (value) => {
      const digits = value.replace(/\D/g, '')
      for (const masked of [maskNumber(value), maskSource(value)]) {
        const open = masked.replace(/\D/g, '')
        assert.ok(open.length <= 4 && digits.endsWith(open) && (open === '' || digits.length > 4))
      }
      assert.equal(maskSource(value).length, digits.length)
    }),
  )
})

const reasons: readonly (readonly [reason: string, number: string, kept: string])[] = [
  ['Is it +7 (916) 123-09-87?', '79161230987', 'Is it +7 (•••• 0987?'],
  ['8.916.123.09.87', '+7 916 123-09-87', '8.•••• 0987'],
  ['9161230987, not 79265550102', '79161230987', '•••• 0987, not •••• 0102'],
  ['card 2200/7702/3903/1232', '2200770239031232', 'card •••• 1232'],
  ['account 40817 810 0 9991 0004321', '40817810099910004321', 'account •••• 4321'],
  ['order 1234 of 2026', '1234', 'order 1234 of 2026'],
  ['nothing to hide', '•••• 4567', 'nothing to hide'],
]

for (const [reason, number, kept] of reasons) {
  test(`a reason with ${number} is kept as "${kept}"`, () => assert.equal(maskKnownNumber(reason, number), kept))
}

const masks: readonly (readonly [text: string, masked: string])[] = [
  ['8(916)1234567', '•••• 4567'],
  ['+7(916)123-45-67', '+•••• 4567'],
  ['8 (916) 123-45-67', '•••• 4567'],
  ['8.916.123.45.67', '•••• 4567'],
  ['916.123.45.67', '•••• 4567'],
  ['8/916/1234567', '•••• 4567'],
  ['8\u00a0916\u00a0123\u00a045\u00a067', '•••• 4567'],
  ['8\u2011916\u2011123\u201145\u201167', '•••• 4567'],
  ['8(4852)12-34-56', '•••• 3456'],
  ['+380(44)123-45-67', '+•••• 4567'],
  ['2200/7702/3903/1232', '•••• 1232'],
  ['4081 7810/0999/1000/4312', '•••• 4312'],
  ['40817.810.0.9991.0004321', '•••• 4321'],
  ['79161234567', '•••• 4567'],
  ['8.916.12.34.567', '•••• 4567'],
  ['8(916)12-34-567', '•••• 4567'],
  ['(916)1234567', '(•••• 4567'],
  ['+375.29.123.45.67', '+•••• 4567'],
  ['998.90.123.4567', '•••• 4567'],
]

for (const [text, masked] of masks) {
  test(`${text} is masked in a text`, () => assert.equal(maskNumbers(`за заказ, ${text}.`), `за заказ, ${masked}.`))
}

const readable = [
  'Заказ 8 от 29.11.2026 12:30',
  'Заказ 7/29.11.2026, 1 500.00',
  'за период 01.11.2026-30.11.2026',
  '29.11.2026-30.11.2026 на 1500.00',
  '100 500.00 29.11.2026',
  '8 150000.00 29.11.2026',
  'сумма 1.500.000,00 руб.',
  'сумма 12 500.00, 15 шт.',
  'Договор 123456/2026',
  'Договор 123/456/2026',
  'Заказ (2026) 15000.00',
  'Заказ 2026/11/5961',
]

for (const text of readable) test(`"${text}" stays readable`, () => assert.equal(maskNumbers(text), text))

test('times are written in UTC with milliseconds', () => {
  assert.equal(formatInstant(0), '1970-01-01T00:00:00.000Z')
  assert.equal(formatInstant(1_769_862_600_001), '2026-01-31T12:30:00.001Z')
})

const row = (fields: Partial<ReportedTransfer> = {}): ReportedTransfer => ({
  requisiteId: 'r',
  currency: 'rub',
  amount: 5000_00n,
  bookedAt: 1000,
  source: 'test',
  bankReference: null,
  sender: null,
  ...fields,
})

const keys: readonly (readonly [title: string, rows: readonly ReportedTransfer[], keys: readonly string[]])[] = [
  ['nothing', [], []],
  ['one row', [row()], ['row:1000:500000::0']],
  ['two equal rows stay two', [row(), row()], ['row:1000:500000::0', 'row:1000:500000::1']],
  ['equal rows of two requisites', [row(), row({ requisiteId: 's' })], ['row:1000:500000::0', 'row:1000:500000::0']],
  [
    'rows that differ',
    [row(), row({ amount: 1n }), row({ bookedAt: 1 }), row({ sender: 'x' }), row()],
    ['row:1000:500000::0', 'row:1000:1::0', 'row:1:500000::0', 'row:1000:500000:x:0', 'row:1000:500000::1'],
  ],
  [
    'a reference identifies the transfer, together with its amount',
    [row({ bankReference: 'b' }), row({ bankReference: 'b', amount: 1n })],
    ['ref:500000:b', 'ref:1:b'],
  ],
  [
    'the source does not count',
    [row({ source: 'a' }), row({ source: 'b' })],
    ['row:1000:500000::0', 'row:1000:500000::1'],
  ],
]

for (const [title, rows, expected] of keys) {
  test(`dedupe keys: ${title}`, () => assert.deepEqual(dedupeKeys(rows), expected))
}

test('a report and the same report again have the same keys, in any order of different rows', () => {
  const anyRow = fc.record({
    requisiteId: fc.constantFrom('r', 's'),
    amount: fc.constantFrom(1n, 2n),
    bookedAt: fc.constantFrom(1, 2),
    sender: fc.constantFrom(null, 'x'),
  })
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 12 }), (rows) => {
      const report = rows.map((fields) => row(fields))
      const named = (list: readonly ReportedTransfer[]) =>
        dedupeKeys(list).map((key, index) => `${list[index]?.requisiteId} ${key}`)
      const all = named(report)
      assert.equal(new Set(all).size, report.length)
      assert.deepEqual(named(report), all)
      assert.deepEqual(named(report.toReversed()).toSorted(), all.toSorted())
    }),
  )
})

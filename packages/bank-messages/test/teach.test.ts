// Templates from messages in which a person has marked what is what.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Bank,
  compileTemplate,
  createFinder,
  type Mark,
  type MarkedField,
  type Message,
  normalText,
  teach,
  wholeText,
} from '../src/bank-messages.ts'

const bank: Bank = { bank: 'new', country: 'ru', currency: 'rub', senders: ['NEW'], templates: {} }

const message: Message = {
  channel: 'push',
  title: 'Новый перевод',
  text: 'Карта *1234 12.05.26 11:59 пришло 5 000.50 ₽ [СБП] от Анна Павловна К. Остаток -12 000 ₽. Сообщение: за обед',
}

const mark = (field: MarkedField, value: string, of: Message = message): Mark => {
  const from = wholeText(of).indexOf(value)
  return { field, from, to: from + value.length }
}

const marks = [
  mark('amount', '5 000.50'),
  mark('balance', '12 000 ₽'),
  mark('senderName', 'Анна Павловна К.'),
  mark('comment', 'за обед'),
  mark('account', '1234'),
]

describe('teaching', () => {
  test('marks become gaps, times become gaps, and the rest is as the bank writes it', () => {
    const taught = teach(message, 'credit', marks, bank)
    assert.ok('template' in taught)
    assert.equal(
      taught.template,
      'Новый перевод\nКарта {account} {moment} {moment} пришло {amount} \\[СБП\\] от {person} Остаток {balance} Сообщение: {comment}',
    )
    assert.deepEqual(taught.fixed, [])
    assert.deepEqual(
      [taught.fields.amount, taught.fields.balance, taught.fields.account, taught.fields.senderName],
      ['5000.50', '-12000.00', '1234', 'Анна Павловна К.'],
    )
  })

  test('the template reads other messages of its form, and only those', () => {
    const taught = teach(message, 'credit', marks, bank)
    assert.ok('template' in taught)
    const read = (text: string) => compileTemplate('credit', taught.template, bank).read(normalText(text))
    const found = read(
      'Новый перевод\nКарта *77 13.05.26 01:00 пришло 7р [СБП] от Лев Б. Остаток 8р. Сообщение: «Остаток 9р»',
    )
    assert.equal(found, undefined)
    const other = read(
      'Новый перевод\nКарта *7777 13.05.26 01:00 пришло 7р [СБП] от Лев Б. Остаток 8р. Сообщение: Остаток 9р. Сообщение: а',
    )
    assert.ok(typeof other === 'object')
    assert.deepEqual([other.fields.amount, other.fields.balance, other.fields.senderName], ['7.00', '8.00', 'Лев Б.'])
  })

  test('numbers that nobody has marked are reported', () => {
    const text = 'Заказ 77: пришло 500р'
    const of: Message = { channel: 'sms', text }
    const taught = teach(of, 'credit', [mark('amount', '500', of)], bank)
    assert.deepEqual('fixed' in taught && taught.fixed, ['77'])
  })

  for (const [text, amount, gap] of [
    ['Пришло 500 руб. Спасибо', '500 руб.', '{amount}'],
    ['Пришло GEL 500.00', '500.00', '{amount:before}'],
    ['Пришло 500 на счет', '500', '{amount:bare}'],
  ] as const)
    test(`${text}: ${gap}`, () => {
      const of: Message = { channel: 'sms', text }
      const taught = teach(of, 'credit', [mark('amount', amount, of)], bank)
      assert.equal('template' in taught && taught.template, text.replace(/(?:GEL )?500(?:\.00)?(?: руб\.)?/, gap))
    })

  for (const [what, given, fault] of [
    ['a credit without an amount', [mark('balance', '12 000')], 'A credit needs an amount'],
    ['a mark that is no amount', [mark('amount', 'Карта')], '"Карта" is not amount'],
    [
      'a mark of a name with digits',
      [mark('amount', '5 000.50'), mark('senderName', '11:59')],
      '"11:59" is not senderName',
    ],
    ['marks that overlap', [mark('amount', '5 000.50'), mark('fee', '000.50')], 'The mark of fee overlaps another one'],
  ] as const)
    test(`${what} is refused`, () => assert.deepEqual(teach(message, 'credit', given, bank), { fault }))

  test('a text whose amount may be cut off is refused', () => {
    const of: Message = { channel: 'sms', text: 'Пришло 500' }
    assert.deepEqual(teach(of, 'credit', [mark('amount', '500', of)], bank), {
      fault: 'The text has several meanings with these marks',
    })
  })

  test('a field that only credits have is refused in another message', () =>
    assert.deepEqual(teach(message, 'debit', marks, bank), { fault: 'A debit has no senderName' }))

  test('a marked text that is no field may differ in debits, and is refused in credits', () => {
    const of: Message = { channel: 'sms', text: 'Оплата 500р в KOFEYNYA 12. Остаток 700р' }
    const given = [mark('amount', '500', of), mark('text', 'KOFEYNYA 12', of), mark('balance', '700', of)]
    const taught = teach(of, 'debit', given, bank)
    assert.ok('template' in taught)
    assert.equal(taught.template, 'Оплата {amount} в {text}. Остаток {balance}')
    const other = compileTemplate('debit', taught.template, bank).read(normalText('Оплата 7р в АПТЕКА. Остаток 9р'))
    assert.deepEqual(typeof other === 'object' && [other.fields.amount, other.fields.balance], ['7.00', '9.00'])
    const asCredit = teach(of, 'credit', given, bank)
    assert.match('fault' in asCredit ? asCredit.fault : '', /^A credit has no text that is no field/)
  })

  test('a template with no word of the bank is refused', () => {
    const of: Message = { channel: 'sms', text: 'Оплата 500р в кафе' }
    const given = [mark('text', 'Оплата', of), mark('amount', '500р', of), mark('text', 'в кафе', of)]
    const taught = teach(of, 'debit', given, bank)
    assert.match('fault' in taught ? taught.fault : '', /^Some words of the bank must be left/)
  })
})

describe('a finder', () => {
  const find = createFinder({ ...bank, templates: { credit: ['Пришло {amount} [{comment}]'] } })
  const sms = (text: string, sender = 'NEW'): Message => ({ channel: 'sms', sender, text })

  test('finds what the templates of its bank have in a message', () => {
    const found = find(sms('Пришло 5р'))
    assert.deepEqual(found !== 'doubtful' && found.map(({ kind, amount }) => [kind, amount]), [['credit', '5.00']])
  })

  for (const [what, given] of [
    ['another text', sms('Пришло')],
    ['another sender', sms('Пришло 5р', 'OTHER')],
    ['a text that is too long', sms(`Пришло 5р ${'а'.repeat(1000)}`)],
  ] as const)
    test(`finds nothing in ${what}`, () => assert.deepEqual(find(given), []))

  test('says when a template finds several meanings', () => assert.equal(find(sms('Пришло 0р')), 'doubtful'))
})

// What the templates of banks read, and what they leave, in messages that are made up.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Bank,
  compileTemplate,
  createReader,
  type Fields,
  givesCode,
  longestMessage,
  type Message,
  type MessageKind,
  normalText,
  readMessage,
  TemplateFault,
} from '../src/bank-messages.ts'
import { readDecimal } from '../src/decimal.ts'

const bank: Bank = {
  bank: 'test',
  country: 'ru',
  currency: 'rub',
  senders: ['TEST'],
  packages: ['test.app'],
  templates: {},
}

const find = (template: string, text: string, kind: MessageKind = 'credit', of: Bank = bank) =>
  compileTemplate(kind, template, of).read(normalText(text))

/** The fields that a template finds in a text, without those that are null; or why there are none. */
const fieldsOf = (template: string, text: string, of: Bank = bank): Partial<Fields> | 'doubtful' | undefined => {
  const found = find(template, text, 'credit', of)
  if (typeof found !== 'object') return found
  return Object.fromEntries(Object.entries(found.fields).filter(([, value]) => value !== null))
}

const sms = (text: string, sender: string | null = '900'): Message => ({ channel: 'sms', sender, text })
const sber = 'СЧЁТ5082 11:59 Перевод 2460р от Глеб Н. Баланс: 9 325.7р'

describe('numbers', () => {
  for (const [text, value, thousands] of [
    ['5', '5.00'],
    ['1 000,5', '1000.50'],
    ['1 000', '1000.00'],
    ["1'000.25", '1000.25'],
    ['1,000.00', '1000.00'],
    ['1.000,00', '1000.00'],
    ['1,234,567', '1234567.00'],
    ['3.099.356,37', '3099356.37'],
    ['-93.73', '-93.73'],
    ['0', '0.00'],
    ['2,570', '2570.00', ','],
    ['2,570', null],
    ['2.570', null, ','],
    ['2,57', '2.57', ','],
    ['1.234.5', null],
    ['1,23,456', null],
    ['12 34', null],
    ['1 00', null],
    ['0,570', null, ','],
    ['045', null],
    ['1 000.000', null],
    ['1234567890123456', null],
  ] as const)
    test(`${text}${thousands === undefined ? '' : ` with ${thousands} for thousands`} is ${value}`, () =>
      assert.equal(readDecimal(text, thousands), value))
})

describe('a template', () => {
  test('reads its text whatever its spaces, line breaks, case, dashes, quotation marks and lookalike letters are', () => {
    for (const text of [
      'Счет *1234: приход 5 000.50 руб. - "за обед"',
      'СЧЁТ*1234:\nприход\u00a05\u202f000.50руб — «за обед»',
      'Cчeт •• 1234:&#10;ПРИХОД 5000,5 ₽ – “за  обед”',
    ])
      assert.deepEqual(fieldsOf('Счет {account}: приход {amount} - "{comment}"', text), {
        amount: '5000.50',
        currency: 'rub',
        account: '1234',
        comment: 'за обед',
      })
  })

  test('is compared with the whole text', () => {
    for (const text of ['! Приход 5р', 'Приход 5р!', 'Приход 5р Приход 5р', 'Приход', '', 'При ход 5р'])
      assert.equal(find('Приход {amount}', text), undefined, text)
  })

  test('takes a lost line break after a small letter as a space', () =>
    assert.deepEqual(fieldsOf('Приход {amount} от {name} Баланс: {balance}', 'Приход 5рОт Инна БоргБаланс: 7р'), {
      ...{ amount: '5.00', currency: 'rub', balance: '7.00', senderName: 'Инна Борг' },
    }))

  test('does not read a part of a number', () => {
    for (const text of ['Приход KAFE 1 500р', 'Приход KAFE-1 500р', 'Приход KAFE1,500.00р'])
      assert.notEqual((fieldsOf('Приход {text} {amount}', text) as Partial<Fields> | undefined)?.amount, '500.00', text)
    assert.equal(find('Приход {amount:bare} {text}', 'Приход 1,500.00 KAFE', 'debit') === undefined, false)
    assert.deepEqual(fieldsOf('Приход {text} {amount}', 'Приход KAFE 21 2 500р'), {
      amount: '2500.00',
      currency: 'rub',
    })
  })

  test('reads a currency only as a whole word, and letters only at home', () => {
    assert.deepEqual(fieldsOf('Приход {amount}', 'Приход 5 USD'), { amount: '5.00', currency: 'usd' })
    assert.equal(fieldsOf('Приход {amount}', 'Приход 5 XYZ'), undefined)
    assert.equal(fieldsOf('Приход {amount} {text}', 'Приход 5 рога'), undefined)
    assert.equal(fieldsOf('Приход {amount}', 'Приход 5т'), undefined)
    assert.equal(typeof find('Приход {amount}', 'Приход 5т', 'credit', { ...bank, currency: 'kzt' }), 'object')
  })

  test('leaves a number that may be cut off', () => {
    assert.equal(fieldsOf('Приход {amount} Баланс {balance:bare}', 'Приход 5р Баланс 14'), 'doubtful')
    assert.equal(fieldsOf('Приход {amount} Баланс {balance:bare}', 'Приход 5р Баланс 14.5'), 'doubtful')
    assert.equal(typeof find('Приход {amount} Баланс {balance:bare}', 'Приход 5р Баланс 14.50'), 'object')
    const grouped: Bank = { ...bank, thousands: ',' }
    assert.equal(fieldsOf('Приход {amount} Баланс {balance:bare}', 'Приход 5р Баланс 2,65', grouped), 'doubtful')
    assert.equal(fieldsOf('Приход {amount} счет {account}', 'Приход 5р счет *123'), 'doubtful')
  })

  test('a text with two meanings is in doubt', () => {
    assert.equal(fieldsOf('{comment} {amount} {message}', 'a 5р b 7р c'), 'doubtful')
    assert.equal(fieldsOf('{amount} и {amount}', '5р и 7р'), 'doubtful')
    assert.deepEqual(fieldsOf('{amount} и {amount}', '5р и 5.00р'), { amount: '5.00', currency: 'rub' })
  })

  test('a credit of nothing, or with the words of another operation in a name or a place, is in doubt', () => {
    assert.equal(fieldsOf('Приход {amount}', 'Приход 0р'), 'doubtful')
    for (const text of ['отменено', 'OTMENA', 'Баланс 5р', 'Отказ банка', 'declined'])
      assert.equal(fieldsOf('Приход {amount} {text} Остаток {balance}', `Приход 5р ${text} Остаток 7р`), 'doubtful')
    assert.equal(typeof find('Приход {amount} {text}', 'Приход 5р P2P TBC 24'), 'object')
  })

  test('so is a debit with the words of a reversal, but not a payee of any name', () => {
    assert.equal(find('Покупка {text} {amount}', 'Покупка возврат 5р', 'debit'), 'doubtful')
    assert.equal(typeof find('Покупка {text} {amount}', 'Покупка KREDIT BANK 5р', 'debit'), 'object')
  })

  for (const [template, reason] of [
    ['Приход {sume}', 'There is no gap {sume}'],
    ['Приход {amount', '} is missing'],
    ['Приход [{amount}', '] is missing'],
    ['Приход <a|b', '> is missing'],
    ['Приход {amount}]', '] closes nothing'],
    ['Приход \\', 'Nothing follows \\'],
    ['['.repeat(20), 'Too many levels'],
  ] as const)
    test(`${template} is refused: ${reason}`, () =>
      assert.throws(
        () => compileTemplate('credit', template, bank),
        (error) => error instanceof TemplateFault && error.message.startsWith(reason),
      ))

  test('a part that contains itself is refused', () =>
    assert.throws(() => compileTemplate('credit', '{a}', { ...bank, parts: { a: 'x{a}' } }), TemplateFault))
})

describe('the origin', () => {
  for (const [what, message, kind] of [
    ['the sender', sms(sber), 'credit'],
    ['another sender', sms(sber, '+79000000900'), 'unknown'],
    ['a sender that contains it', sms(sber, 'Сбер 900'), 'unknown'],
    ['a sender with a point', sms(sber, '900.'), 'unknown'],
    ['no sender', sms(sber, null), 'unknown'],
    ['the messaging app', push('com.google.android.apps.messaging', '900'), 'credit'],
    ['the messaging app, from a person', push('com.google.android.apps.messaging', 'Инна П.'), 'unknown'],
    ['a messenger, from a contact of this name', push('org.telegram.messenger', '900'), 'unknown'],
    ['a package like that of the bank', push('ru.sberbankmobile.app', null), 'unknown'],
  ] as const)
    test(`${what}: ${kind}`, () => assert.equal(readMessage(message).kind, kind))

  test('a bank whose sender is unknown is only read without sender and package, and by its own senders when they are given', () => {
    const unknown: Bank = { ...bank, senders: 'unknown', templates: { credit: ['Приход {amount}'] } }
    const read = createReader([unknown])
    assert.equal(read(sms('Приход 5р', null)).kind, 'credit')
    assert.equal(read({ ...sms('Приход 5р', null), package: 'some.app' }).kind, 'unknown')
    assert.equal(read(sms('Приход 5р', 'BANK')).kind, 'unknown')
    assert.equal(createReader([{ ...unknown, senders: ['BANK'] }])(sms('Приход 5р', 'BANK')).kind, 'credit')
  })

  test('a title that only names the app may be missing, apart, or before the text', () => {
    const titled = createReader([{ ...bank, titles: ['Тест Банк'], templates: { credit: ['Приход {amount}'] } }])
    for (const [title, text] of [
      [null, 'Приход 5р'],
      ['Тест Банк', 'Приход 5р'],
      [null, 'Тест Банк Приход 5р'],
      [null, 'Тест Банк | Приход 5р'],
    ] as const)
      assert.equal(titled({ channel: 'push', package: 'test.app', title, text }).kind, 'credit', `${title} ${text}`)
    assert.equal(titled({ channel: 'push', package: 'test.app', title: 'Отмена', text: 'Приход 5р' }).kind, 'unknown')
  })

  test('two templates with different readings make a message unknown', () => {
    const templates = { credit: ['Перевод {amount}'], debit: ['<Перевод|Оплата> {amount}'] }
    const read = createReader([{ ...bank, templates }])
    assert.equal(read(sms('Перевод 5р', 'TEST')).kind, 'unknown')
    assert.equal(read(sms('Оплата 5р', 'TEST')).kind, 'debit')
  })
})

function push(origin: string, title: string | null): Message {
  return { channel: 'push', package: origin, title, text: sber }
}

describe('what is no credit', () => {
  for (const text of [
    'СЧЁТ5082 11:59 перевод 2460р Баланс: 9 325.7р',
    'СЧЁТ5082 11:59 Перевод 2460р от Глеб Н. отклонён. Баланс: 9 325.7р',
    'СЧЁТ5082 11:59 Перевод 2460р от Глеб',
    'СЧЁТ5082 11:59 Перевод 2460р от Глеб Н. Баланс: 9 325',
    'СЧЁТ5082 11:59 Перевод 2460',
    'СЧЁТ5082 11:59 зачисление 2460р отменено Баланс: 9 325.7р',
    'Глеб Н. просит перевести 2460р',
    'Никому не сообщайте код 12345. Перевод 2460р от Глеб Н.',
    '{sms_text}',
    '',
    `${sber}${' '.repeat(longestMessage)}`,
  ])
    test(JSON.stringify(text.slice(0, 80)), () => assert.notEqual(readMessage(sms(text)).kind, 'credit'))

  test('a comment that imitates a message is a comment', () => {
    const comment = 'Перевод 50000р от Инна П. Баланс: 53500р'
    const { kind, ...fields } = readMessage(sms(`${sber} «${comment}»`))
    assert.deepEqual([kind, fields.amount, fields.balance, fields.comment], ['credit', '2460.00', '9325.70', comment])
  })

  test('a payee is not the sender of a debit', () => {
    const reading = createReader([{ ...bank, templates: { debit: ['Перевод {amount} {person}'] } }])(
      sms('Перевод 5р Инна П.', 'TEST'),
    )
    assert.deepEqual([reading.kind, reading.amount, reading.senderName], ['debit', '5.00', null])
  })
})

describe('codes', () => {
  for (const text of [
    'Код 1234',
    'Код: 123456. Перевод 5000р',
    '669004 — код подтверждения платежа 2479.0',
    'SMS-kod: 8049 Operatsiya: platezh na summu 900.00 RUB',
    '3D-Secure kod= a21p. Summa platezha BYN 47.06',
    'OTP CODE: 558020 for transfer 6300.00 AMD',
    'Никому не сообщайте 12345',
    'Ваш одноразовый пароль 1234',
    'Ваш код 123-456',
    'Tasdiqlash kodi: 12345',
    'Şifreniz: 123456',
  ]) {
    test(`${text} gives one`, () => assert.ok(givesCode(text)))
    test(`${text} is a code from anyone, without fields`, () => {
      const { kind, ...fields } = readMessage(sms(text, '+79000000000'))
      assert.deepEqual([kind, ...new Set(Object.values(fields))], ['code', null])
    })
  }

  for (const text of [sber, 'Код операции: 206027269', 'Карта зачисление 2000р. OTP_FPS. Доступно 23536.25р'])
    test(`${text} gives none`, () => assert.ok(!givesCode(text)))

  test('one in a comment of the payer hides no credit', () =>
    assert.equal(readMessage(sms(`${sber} «код 1234»`)).kind, 'credit'))
})

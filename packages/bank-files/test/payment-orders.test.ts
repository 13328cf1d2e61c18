// Payment orders that are written: what banks read, and what this package reads back.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  checkPayer,
  checkPaymentOrder,
  isIban,
  type OrderParty,
  type PaymentFormat,
  type PaymentOrder,
  type PaymentOrders,
  readBankFile,
  writePaymentOrders,
} from '../src/bank-files.ts'
import { orderSender } from '../src/formats/section-of-1c.ts'
import { assertSequences, elementsOf, type Sequences } from './support/iso-20022.ts'

const payer: OrderParty = {
  name: 'ООО «Ёлка № 1»',
  account: '40702810200000000001',
  bank: { bic: '044525225', name: 'ПАО Сбербанк', correspondentAccount: '30101810400000000225' },
  taxNumber: '7707083893',
  taxReason: '773601001',
}

const payee: OrderParty = {
  name: 'Иванов Иван',
  account: '40817810099910004312',
  bank: { bic: '044525974' },
}

const order = (number: number, amount: bigint, more: Partial<PaymentOrder> = {}): PaymentOrder => ({
  ...{ number, amount, id: `019a0000000070008000000000000${String(number).padStart(3, '0')}`, payee },
  ...{ text: `Возврат по заказу ord-${number}, refund-${number}`, ...more },
})

const fileOf = (orders: readonly PaymentOrder[], more: Partial<PaymentOrders> = {}): PaymentOrders => ({
  ...{ id: 'payin-17', writtenAt: '2026-01-31T10:30:00', currency: 'rub', payer, orders, ...more },
})

const three = [order(17, 300_50n), order(18, 1n), order(19, 999_999_999_999_997n)]

describe('1c', () => {
  const text = new TextDecoder('windows-1251').decode(writePaymentOrders('1c', fileOf(three)))

  test('has a payment order for each, in the fields and the order of lines of version 1.03', () => {
    const lines = text.split('\r\n')
    assert.equal(text.includes('\n\n'), false)
    assert.equal(text.replaceAll('\r\n', '').includes('\n'), false)
    assert.deepEqual(lines.slice(0, 10), [
      '1CClientBankExchange',
      'ВерсияФормата=1.03',
      'Кодировка=Windows',
      'Отправитель=bank-files',
      'ДатаСоздания=31.01.2026',
      'ВремяСоздания=10:30:00',
      'ДатаНачала=31.01.2026',
      'ДатаКонца=31.01.2026',
      'РасчСчет=40702810200000000001',
      'Документ=Платежное поручение',
    ])
    const end = lines.indexOf('КонецДокумента')
    assert.deepEqual(lines.slice(10, end), [
      'СекцияДокумент=Платежное поручение',
      'Номер=17',
      'Дата=31.01.2026',
      'Сумма=300.50',
      'ПлательщикСчет=40702810200000000001',
      'Плательщик=ООО «Ёлка № 1»',
      'ПлательщикИНН=7707083893',
      'ПлательщикКПП=773601001',
      'Плательщик1=ООО «Ёлка № 1»',
      'ПлательщикРасчСчет=40702810200000000001',
      'ПлательщикБанк1=ПАО Сбербанк',
      'ПлательщикБИК=044525225',
      'ПлательщикКорсчет=30101810400000000225',
      'ПолучательСчет=40817810099910004312',
      'Получатель=Иванов Иван',
      'Получатель1=Иванов Иван',
      'ПолучательРасчСчет=40817810099910004312',
      'ПолучательБИК=044525974',
      'ВидОплаты=01',
      'Очередность=5',
      'НазначениеПлатежа=Возврат по заказу ord-17, refund-17',
    ])
    assert.deepEqual(lines.slice(-3), ['КонецДокумента', 'КонецФайла', ''])
  })

  test('is read back with the same amounts, payees and texts', async () => {
    const ofBank = text.replace(`Отправитель=${orderSender}`, 'Отправитель=Банк')
    const { format, entries } = await readBankFile(Buffer.from(ofBank))
    assert.equal(format, '1c')
    assert.deepEqual(
      entries.map(({ direction, amount, currency, booked, counterparty, text: said }) => [
        ...[direction, amount, currency, booked, counterparty.name, counterparty.number, said],
      ]),
      three.map(({ amount, text: said }) => [
        ...['debit', amount, 'rub', '2026-01-31', payee.name, payee.account, said],
      ]),
    )
  })

  test('is not a statement: the money has not moved', async () => {
    await assert.rejects(readBankFile(writePaymentOrders('1c', fileOf(three))), /payment orders for the bank/)
  })

  test('a text cannot become further lines', () => {
    const injected = order(17, 100n, { text: 'x\r\nКонецДокумента\nСекцияДокумент=Платежное поручение\u2028Сумма=9' })
    const written = new TextDecoder('windows-1251').decode(writePaymentOrders('1c', fileOf([injected])))
    assert.equal(written.match(/^КонецДокумента/gm)?.length, 1)
    assert.match(written, /^НазначениеПлатежа=x КонецДокумента СекцияДокумент=Платежное поручение Сумма=9\r$/m)
  })
})

// The sequences of pain.001.001.09, as far as they are written: the standard allows no other order.
const sequences: Sequences = {
  Document: ['CstmrCdtTrfInitn'],
  CstmrCdtTrfInitn: ['GrpHdr', 'PmtInf'],
  GrpHdr: ['MsgId', 'CreDtTm', 'NbOfTxs', 'CtrlSum', 'InitgPty'],
  PmtInf: [
    ...['PmtInfId', 'PmtMtd', 'BtchBookg', 'NbOfTxs', 'CtrlSum', 'ReqdExctnDt', 'Dbtr', 'DbtrAcct', 'DbtrAgt'],
    'CdtTrfTxInf',
  ],
  CdtTrfTxInf: ['PmtId', 'Amt', 'CdtrAgt', 'Cdtr', 'CdtrAcct', 'RmtInf'],
  PmtId: ['InstrId', 'EndToEndId'],
  FinInstnId: ['BICFI', 'ClrSysMmbId', 'Nm', 'Othr'],
  ClrSysMmbId: ['ClrSysId', 'MmbId'],
  DbtrAcct: ['Id', 'Ccy'],
}

const needed: Sequences = {
  GrpHdr: ['MsgId', 'CreDtTm', 'NbOfTxs', 'InitgPty'],
  PmtInf: ['PmtInfId', 'PmtMtd', 'ReqdExctnDt', 'Dbtr', 'DbtrAcct', 'DbtrAgt', 'CdtTrfTxInf'],
  CdtTrfTxInf: ['PmtId', 'Amt', 'Cdtr', 'CdtrAcct'],
}

describe('pain.001', () => {
  const written = (file: PaymentOrders) => elementsOf(new TextDecoder().decode(writePaymentOrders('pain.001', file)))
  const textsOf = (elements: ReturnType<typeof elementsOf>, name: string): string[] =>
    elements.filter((each) => each.name === name).map(({ text }) => text)

  test('has the structure of pain.001.001.09, and sums that agree', () => {
    const elements = written(fileOf(three))
    assertSequences(elements, sequences, needed)
    assert.deepEqual({ ...elements[0]?.attributes }, { xmlns: 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09' })
    assert.deepEqual(textsOf(elements, 'NbOfTxs'), ['3', '3'])
    assert.deepEqual(textsOf(elements, 'CtrlSum'), ['10000000000300.48', '10000000000300.48'])
    assert.deepEqual(textsOf(elements, 'InstdAmt'), ['300.50', '0.01', '9999999999999.97'])
    assert.deepEqual(
      textsOf(elements, 'EndToEndId'),
      three.map(({ id }) => id),
    )
    assert.deepEqual(textsOf(elements, 'InstrId'), ['17', '18', '19'])
    assert.deepEqual(textsOf(elements, 'BtchBookg'), ['false'])
    assert.deepEqual(textsOf(elements, 'Cd'), ['RUCBC', 'RUCBC', 'RUCBC', 'RUCBC'])
    assert.deepEqual(textsOf(elements, 'MmbId'), ['044525225', '044525974', '044525974', '044525974'])
  })

  test('an IBAN needs no bank, and amounts have the decimals of their currency', () => {
    const [german, other] = ['DE89370400440532013000', 'NL91ABNA0417164300']
    const elements = written(
      fileOf(
        [
          order(1, 5000n, { payee: { name: 'Anna & <Bert>', account: other, bank: null } }),
          order(2, 7n, { payee: { name: 'Berg', account: german, bank: { bic: 'DEUTDEFF' } } }),
        ],
        { currency: 'jpy', payer: { name: 'Shop', account: german, bank: null } },
      ),
    )
    assertSequences(elements, sequences, needed)
    assert.deepEqual(textsOf(elements, 'InstdAmt'), ['5000', '7'])
    assert.deepEqual(textsOf(elements, 'CtrlSum'), ['5007', '5007'])
    assert.deepEqual(textsOf(elements, 'IBAN'), [german, other, german])
    assert.deepEqual(textsOf(elements, 'BICFI'), ['DEUTDEFF'])
    assert.deepEqual(textsOf(elements, 'Nm'), ['Shop', 'Shop', 'Anna & <Bert>', 'Berg'])
    assert.equal(elements.filter(({ name }) => name === 'CdtrAgt').length, 1)
  })

  test('every text survives', () => {
    const odd = 'a & b < c > d "e" \'f\' ]]> Ў 漢 😀'
    const elements = written(fileOf([order(1, 1n, { text: `${odd}\u0000\n\uFFFF` })]))
    assert.deepEqual(textsOf(elements, 'Ustrd'), [odd])
  })
})

test('the same orders give the same bytes', () => {
  for (const format of ['1c', 'pain.001'] as const)
    assert.deepEqual(writePaymentOrders(format, fileOf(three)), writePaymentOrders(format, fileOf(three)))
})

test('what a format cannot have is refused with the reason, and never written', () => {
  const without = (more: Partial<OrderParty>) => order(1, 1n, { payee: { ...payee, ...more } })
  const refused: readonly (readonly [PaymentFormat, PaymentOrder, RegExp, currency?: string])[] = [
    ['1c', without({ bank: null }), /Nobody knows the BIC/],
    ['1c', without({ bank: { bic: 'SABRRUMM' } }), /Nobody knows the BIC/],
    ['1c', without({ account: null }), /Nobody knows an account of 20 digits/],
    ['1c', without({ account: '79991234567' }), /20 digits/],
    ['1c', order(1, 1n), /in roubles/, 'kzt'],
    ['1c', without({ name: 'Ўткир Қодиров' }), /name has a character .*: Қ$/],
    ['1c', order(1, 1n, { text: '✓' }), /text has a character .*: ✓$/],
    ['1c', order(1, 1n, { text: 'я'.repeat(211) }), /more than 210 characters/],
    ['pain.001', without({ bank: null }), /Nobody knows the BIC/],
    ['pain.001', without({ account: null }), /Nobody knows the account/],
    ['pain.001', without({ account: '+7 999' }), /Nobody knows the account/],
    ['pain.001', order(1, 1n, { text: 'я'.repeat(141) }), /more than 140 characters/],
    ['pain.001', without({ name: ' ' }), /Nobody knows the name/],
    ['pain.001', order(1, 0n), /not above zero/],
    ['pain.001', order(2000, 1n), /three zeros/],
    ['pain.001', order(1, 1n, { id: 'a b' }), /35 letters/],
  ]
  for (const [format, each, why, currency = 'rub'] of refused) {
    assert.match(checkPaymentOrder(format, each, currency) ?? '', why)
    assert.throws(() => writePaymentOrders(format, fileOf([each], { currency })), TypeError)
  }
  assert.match(checkPayer('1c', { ...payer, account: '79991234567' }, 'rub') ?? '', /account of 20 digits/)
  assert.throws(() => writePaymentOrders('1c', fileOf([])), /no orders/)
  assert.equal(checkPaymentOrder('1c', order(1, 1n), 'rub'), undefined)
})

test('an IBAN has check digits', () => {
  assert.equal(isIban('DE89370400440532013000'), true)
  for (const wrong of [
    'DE89370400440532013001',
    'DE8937040044053201300',
    '40817810099910004312',
    'DE01370400440532013000',
  ])
    assert.equal(isIban(wrong), false, wrong)
})

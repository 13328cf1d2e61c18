// Statements that are written: what accounting programs read, and what this package reads back.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  changeOf,
  checkWritten,
  readBankFile,
  type WrittenEntry,
  type WrittenFormat,
  writeStatement,
  type WrittenStatement,
  writtenFormats,
} from '../src/bank-files.ts'
import { assertSequences, elementsOf, type Sequences } from './support/iso-20022.ts'

const owner = {
  name: 'ООО «Ёлка & Co»',
  account: '40702810200000000001',
  bank: { bic: '044525225', name: 'ПАО Сбербанк', correspondentAccount: '30101810400000000225' },
}

const statementOf = (entries: readonly WrittenEntry[], more: Partial<WrittenStatement> = {}): WrittenStatement => ({
  ...{ id: 'statement-1', writtenAt: '2026-02-01T10:30:00', currency: 'rub', owner, opening: 100_00n, entries },
  ...{ firstDay: '2026-01-01', lastDay: '2026-01-31', ...more },
})

const entry = (more: Partial<WrittenEntry> = {}): WrittenEntry => ({
  ...{ id: '019a0000000070008000000000000017', booked: '2026-01-15', direction: 'credit', isReversal: false },
  ...{ amount: 300_50n, reference: 'A17', text: 'Заказ ord-17' },
  counterparty: { name: 'Иванов Иван', account: '40817810099910004312', bank: { bic: '044525974', name: 'Т-Банк' } },
  ...more,
})

// Words that windows-1251 has, and that no reader takes for a phone.
const word = fc.stringMatching(/^[A-Za-zА-Яа-яё<&>"№;=]{1,20}$/)
const words = fc.array(word, { minLength: 1, maxLength: 30 }).map((each) => each.join(' '))
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null })
const pad = (value: number, size = 2): string => String(value).padStart(size, '0')

const anyEntry: fc.Arbitrary<WrittenEntry> = fc
  .record({
    number: fc.integer({ min: 0, max: 10 ** 12 - 1 }),
    dayOfMonth: fc.integer({ min: 1, max: 31 }),
    secondOfDay: maybe(fc.integer({ min: 1, max: 86_399 })),
    direction: fc.constantFrom('credit', 'debit'),
    isReversal: fc.boolean(),
    // A reader takes sums of 15 digits.
    amount: fc.bigInt({ min: 1n, max: 10n ** 13n }),
    reference: maybe(fc.stringMatching(/^[A-Z][A-Z0-9]{7,34}$/)),
    name: maybe(words.map((each) => each.slice(0, 140).trim())),
    account: maybe(fc.integer({ min: 0, max: 10 ** 9 }).map((each) => `408178100${pad(each, 11)}`)),
    bank: maybe(fc.constantFrom({ bic: '044525974', name: 'Т-Банк' }, { bic: 'DEUTDEFF', name: 'Bank' })),
    text: maybe(words),
  })
  .map(({ number, dayOfMonth, secondOfDay: at, name, account, bank, ...rest }) => ({
    ...{ ...rest, id: `019a00000000700080${pad(number, 14)}`, counterparty: { name, account, bank } },
    booked:
      `2026-01-${pad(dayOfMonth)}` +
      (at === null ? '' : `T${pad(Math.floor(at / 3600))}:${pad(Math.floor(at / 60) % 60)}:${pad(at % 60)}`),
  }))

const entries = fc.uniqueArray(anyEntry, { maxLength: 12, selector: ({ id }) => id })

/** An entry as a format keeps it. 1C has days only, reversals as money of the other side, and numbers of documents. */
const kept = (format: WrittenFormat, { id, reference, ...each }: WrittenEntry) => ({
  booked: format === '1c' ? each.booked.slice(0, 10) : each.booked,
  direction: each.direction,
  kind: format === 'camt.053' && each.isReversal ? 'reversal' : 'booked',
  amount: each.amount,
  reference: format === '1c' ? null : reference,
  number:
    format === '1c'
      ? `${reference ?? id.slice(-12)} ${each.booked.slice(0, 10).split('-').toReversed().join('.')}`
      : null,
  name: each.counterparty.name,
  account: each.counterparty.account,
  bank: each.counterparty.bank === null ? [] : [each.counterparty.bank.bic, each.counterparty.bank.name],
  text: each.text,
})

describe('whatever is written is read back to the same entries and balances', () => {
  for (const format of writtenFormats)
    test(format, async () => {
      await fc.assert(
        fc.asyncProperty(entries, fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), async (wanted, opening) => {
          const statement = statementOf(wanted, { opening })
          const file = await readBankFile(writeStatement(format, statement))
          const read = file.entries.map(({ counterparty, ...each }) => ({
            ...{ booked: each.booked, direction: each.direction, kind: each.kind, amount: each.amount },
            ...{ reference: each.reference, number: each.number, name: counterparty.name },
            ...{ account: counterparty.number, bank: counterparty.bank, text: each.text },
          }))
          assert.deepEqual(
            read,
            wanted.map((each) => kept(format, each)),
          )
          const [balance, ...others] = file.balances
          assert.deepEqual(others, [])
          assert.deepEqual(
            [balance?.account, balance?.currency, balance?.opening, balance?.closing, balance?.closedOn],
            [owner.account, 'rub', opening, opening + changeOf(wanted), '2026-01-31'],
          )
        }),
      )
    })
})

describe('1c', () => {
  const text = new TextDecoder('windows-1251').decode(
    writeStatement('1c', statementOf([entry(), entry({ direction: 'debit', reference: null, text: '漢 ' })])),
  )

  test('has the account with its sums, and a document for each entry', () => {
    const lines = text.split('\r\n')
    const end = lines.indexOf('КонецРасчСчет')
    assert.deepEqual(lines.slice(0, end + 1), [
      ...['1CClientBankExchange', 'ВерсияФормата=1.03', 'Кодировка=Windows'],
      ...['ДатаСоздания=01.02.2026', 'ВремяСоздания=10:30:00', 'ДатаНачала=01.01.2026', 'ДатаКонца=31.01.2026'],
      ...['РасчСчет=40702810200000000001', 'СекцияРасчСчет', 'ДатаНачала=01.01.2026', 'ДатаКонца=31.01.2026'],
      ...['РасчСчет=40702810200000000001', 'НачальныйОстаток=100.00', 'ВсегоПоступило=300.50'],
      ...['ВсегоСписано=300.50', 'КонечныйОстаток=100.00', 'КонецРасчСчет'],
    ])
    const document = lines.slice(end + 1, lines.indexOf('КонецДокумента'))
    assert.deepEqual(document.slice(0, 4), [
      'СекцияДокумент=Платежное поручение',
      'Номер=A17',
      'Дата=15.01.2026',
      'Сумма=300.50',
    ])
    assert.ok(document.includes('ДатаПоступило=15.01.2026'))
    assert.ok(document.includes('ПлательщикБИК=044525974'))
    assert.ok(document.includes('ПолучательКорсчет=30101810400000000225'))
    assert.deepEqual(lines.slice(-3), ['КонецДокумента', 'КонецФайла', ''])
    assert.match(text, /^НазначениеПлатежа=\?\r$/m)
    assert.match(text, /^Номер=000000000017\r$/m)
  })

  test('leaves out balances that nobody knows', async () => {
    const { balances } = await readBankFile(writeStatement('1c', statementOf([entry()], { opening: null })))
    assert.deepEqual([balances[0]?.opening, balances[0]?.closing, balances[0]?.credits], [null, null, 300_50n])
  })
})

// The sequences of camt.053.001.08, as far as they are written: the standard allows no other order.
const sequences: Sequences = {
  Document: ['BkToCstmrStmt'],
  BkToCstmrStmt: ['GrpHdr', 'Stmt'],
  GrpHdr: ['MsgId', 'CreDtTm'],
  Stmt: ['Id', 'CreDtTm', 'FrToDt', 'Acct', 'Bal', 'Ntry'],
  Acct: ['Id', 'Ccy', 'Ownr', 'Svcr'],
  Bal: ['Tp', 'Amt', 'CdtDbtInd', 'Dt'],
  Ntry: ['NtryRef', 'Amt', 'CdtDbtInd', 'RvslInd', 'Sts', 'BookgDt', 'AcctSvcrRef', 'BkTxCd', 'NtryDtls'],
  TxDtls: ['RltdPties', 'RltdAgts', 'RmtInf'],
  RltdPties: ['Dbtr', 'DbtrAcct', 'Cdtr', 'CdtrAcct'],
  FinInstnId: ['BICFI', 'ClrSysMmbId', 'Nm'],
  ClrSysMmbId: ['ClrSysId', 'MmbId'],
}

const needed: Sequences = {
  GrpHdr: ['MsgId', 'CreDtTm'],
  Stmt: ['Id', 'Acct', 'Bal'],
  Acct: ['Id'],
  Bal: ['Tp', 'Amt', 'CdtDbtInd', 'Dt'],
  Ntry: ['Amt', 'CdtDbtInd', 'Sts', 'BkTxCd'],
}

/** The longest text of elements, where the standard bounds it. */
const longest: Readonly<Record<string, number>> = {
  ...{ Nm: 140, Ustrd: 140, NtryRef: 35 },
  ...{ AcctSvcrRef: 35, MsgId: 35, Id: 34 },
}

test('camt.053 has the structure of camt.053.001.08, and its texts have their lengths', () => {
  fc.assert(
    fc.property(entries, fc.string({ unit: 'grapheme', maxLength: 400 }), (wanted, odd) => {
      const more = entry({
        reference: 'я'.repeat(50),
        text: odd,
        counterparty: { name: odd, account: odd || null, bank: null },
      })
      const elements = elementsOf(new TextDecoder().decode(writeStatement('camt.053', statementOf([...wanted, more]))))
      assertSequences(elements, sequences, needed)
      assert.deepEqual({ ...elements[0]?.attributes }, { xmlns: 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08' })
      for (const { name, text } of elements) {
        const length = [...text].length
        const most = longest[name]
        if (most !== undefined && text.trim() !== '') assert.ok(length >= 1 && length <= most, `${name} ${length}`)
      }
    }),
  )
})

test('what a format cannot have is refused with the reason, and never written', () => {
  const refused: readonly (readonly [WrittenFormat, Partial<WrittenStatement>, RegExp])[] = [
    ['1c', { currency: 'kzt' }, /roubles/],
    ['1c', { owner: { ...owner, account: '79991234567' } }, /20 digits/],
    ['camt.053', { owner: { ...owner, account: null } }, /Nobody knows the account/],
    ['camt.053', { currency: 'usdt' }, /three letters/],
    ['camt.053', { opening: null }, /what the account held/],
  ]
  for (const [format, more, why] of refused) {
    const statement = statementOf([], more)
    assert.match(checkWritten(format, statement) ?? '', why)
    assert.throws(() => writeStatement(format, statement), TypeError)
  }
})

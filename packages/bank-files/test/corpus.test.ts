// Files of banks as they come: each reproduces one way of writing that was once read wrong or refused.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { GivenMapping } from '../src/tables/csv-mapping.ts'
import type { StatementRow } from '../src/statement.ts'
import { readFile } from './support/read-file.ts'

/** What a file is read as: its rows as short texts, what is skipped, and what is wrong with it. */
type Expected = {
  readonly rows?: readonly string[]
  readonly skipped?: readonly string[]
  /** The account that it names, if any. */
  readonly account?: string | null
  readonly fault?: readonly [line: number, reason: RegExp]
  /** What the operator says about it. */
  readonly given?: GivenMapping
}

const short = ({ kind, direction, amount, currency, booked, counterparty, text }: StatementRow): string =>
  [
    kind === 'booked' ? direction : `${kind} ${direction}`,
    Number(amount).toFixed(2),
    currency,
    booked,
    counterparty.name,
    counterparty.number,
    counterparty.bank.join(' '),
    text,
  ]
    .map((part) => part ?? '')
    .join('|')
    .replace(/\|+$/, '')

const cases: Readonly<Record<string, Expected>> = {
  'direction-dk.csv': {
    rows: ['credit|1500.00||2026-01-30|Иванов Иван|||Заказ 1', 'debit|700.00||2026-01-30|ООО Поставщик|||Счет 7'],
  },
  'direction-operation-type.csv': {
    rows: [
      'credit|1500.00||2026-01-30||||Заказ 1',
      'debit|700.00||2026-01-30||||Аренда',
      'debit|300.00||2026-01-30||||Банкомат',
      'debit|20.00||2026-01-30||||Магазин',
    ],
  },
  'direction-transaction-type.csv': {
    rows: ['credit|1500.00||2026-01-30||||Order 1', 'debit|300.00||2026-01-30||||ATM'],
  },
  'direction-unnamed-column.csv': {
    rows: ['credit|10.00||2026-01-30||||Order 1', 'debit|4.00||2026-01-30||||Supplier'],
  },
  'direction-unknown-word.csv': {
    fault: [3, /"Перевод СБП" in column "Признак" is not known as credit or debit: add it to the directions/],
  },
  'direction-unknown-word.csv with the word': {
    given: { directions: { credit: ['перевод сбп'], debit: [] } },
    rows: ['credit|1500.00||2026-01-30||||Заказ 1', 'credit|700.00||2026-01-30||||Заказ 2'],
  },
  'direction-one-sign.csv': { fault: [4, /"Сторно" in column "Признак" is not known as credit or debit/] },
  'direction-signed-sum.csv': { fault: [2, /Nothing says which rows are credits/] },
  'direction-unsigned-withdrawal.csv': { fault: [3, /"Снятие" takes money out, but its amount has no minus/] },
  'direction-unsigned-withdrawal.csv with the operator\u2019s word': {
    given: { allCredits: true },
    rows: [
      'debit|500.00||2026-01-30||||Магазин',
      'credit|300.00||2026-01-30||||Банкомат',
      'credit|1500.00||2026-01-30||||Заказ 1',
    ],
  },
  'direction-plus-only.csv': { fault: [3, /The amount has no sign, but that of line 2 has a plus/] },
  'direction-words-and-sum.csv': {
    rows: ['credit|1500.00||2026-01-30||||Заказ 1', 'debit|300.00||2026-01-30||||Банкомат'],
  },
  'direction-deposit.csv': { fault: [3, /"Пополнение вклада" in column "Вид операции" is not known/] },
  'direction-none.csv': { fault: [2, /Nothing says which rows are credits/] },
  'direction-none.csv with the operator\u2019s word': {
    given: { allCredits: true },
    rows: ['credit|1500.00||2026-01-30||||Заказ 1', 'credit|700.00||2026-01-30||||Аренда'],
  },
  'direction-contradiction.csv': { fault: [3, /"К" says credit, but the sign of the amount says the opposite/] },
  'direction-storno.csv': {
    fault: [3, /The row is a debit. The debits before it have no minus, but this one has one/],
  },
  'direction-purchase-given-back.csv': {
    rows: [
      'debit|500.00||2026-01-30||||Магазин',
      'credit|500.00||2026-01-30||||Возврат магазина',
      'credit|1500.00||2026-01-30||||Заказ 1',
    ],
  },
  'direction-columns.csv': {
    rows: ['credit|1500.00||2026-01-30||||Заказ 1', 'debit|700.00||2026-01-30||||Аренда'],
    skipped: ['zero'],
  },
  'signs-after-the-amount.csv': {
    rows: [
      'credit|1500.00||2026-01-30||||Order 1',
      'debit|700.00||2026-01-30||||Rent',
      'debit|20.00||2026-01-30||||Fee',
      'debit|5.00||2026-01-30||||Fee',
    ],
  },
  'midnight.csv': {
    rows: [
      'credit|1500.00||2026-01-27||||Заказ 1',
      'debit|700.00||2026-01-28||||Аренда',
      'pending credit|5.00||2026-01-29T12:01:00||||Заказ 2',
    ],
  },
  'midnight-once.csv': {
    rows: ['credit|1500.00||2026-01-27T00:00:00||||Заказ 1', 'debit|700.00||2026-01-28T10:30:00||||Аренда'],
  },
  'midnight.camt053.xml': {
    rows: ['credit|10.00|rub|2026-01-30', 'credit|11.00|rub|2026-01-31', 'credit|12.00|rub|2026-01-31'],
  },
  'footer.csv': {
    rows: ['credit|1500.00||2018-02-10||||Заказ 1', 'debit|700.00||2018-02-11||||Аренда'],
    skipped: ['notes', 'notes'],
  },
  // It may be a row whose cells were cut otherwise.
  'footer-with-money.csv': { fault: [3, /is not a date/] },
  'account-in-the-title.csv': {
    rows: ['credit|1500.00||2026-01-30||||Заказ 1', 'debit|700.00||2026-01-31||||Аренда'],
    account: '40702810900000000001',
  },
  'account-in-a-cell.csv': {
    rows: ['credit|1500.00|eur|2026-01-30||||Order 1', 'debit|700.50|eur|2026-01-31||||Rent'],
    account: 'DE02100100100006820101',
  },
  // A card is that of the account, and no payer.
  'clock-of-twelve-hours.csv': {
    rows: [
      'credit|1500.00||2026-01-30T18:50:00||||Order 1',
      'debit|20.00||2026-01-30T00:05:09||||Fee',
      'debit|5.00||2026-01-30T12:15:00||||Fee',
    ],
  },
  'other-header.ofx': { rows: ['credit|10.00|rub|2026-01-30|Anna'] },
  'sums-of-both-ways.csv': {
    rows: ['debit|123.45||2026-01-30||||Покупка', 'credit|1500.00||2026-01-31|Анна|||Заказ 1'],
  },
  // Uzbekistan: the account is that of the other side, next to its bank, and its name may be below it.
  'uzbekistan.csv': {
    rows: [
      'credit|1500000.00||2026-01-30|ООО Покупатель|20208000900000000042|00444|Заказ 1',
      'debit|20000.00||2026-01-31|Банк|45249000000000000077|00555|Комиссия',
    ],
    skipped: ['notes'],
    account: '20208000900000000001',
  },
  'uzbekistan-in-uzbek.csv': {
    rows: ['credit|1500000.00||2026-01-30|Харидор|20208000900000000042|00444|Буюртма 1'],
  },
  'web-page.xls': { fault: [1, /a web page \(HTML\), whatever its name is/] },
  // All that comes after the mark would be lost with it.
  'quote-without-end.csv': { fault: [3, /a quotation mark begins the cell, and none ends it/] },
  'quoted-delimiter.csv': {
    rows: [
      'credit|1500.00||2026-01-30|ООО "Ромашка; Лютик"|||Заказ 1',
      'debit|700.50||2026-01-31|ИП "Свет; Тень"|||Аренда; январь',
    ],
  },
  'line-breaks-in-cells.csv': {
    rows: [
      'credit|1500.00|rub|2026-01-30|ООО Ромашка|||Заказ 1; две строки',
      'debit|700.50|rub|2026-01-31|ООО Аренда|||Аренда',
    ],
  },
  'dates-with-points.csv': {
    rows: ['credit|1500.00||2018-02-10||||Order 1', 'debit|700.00||2018-02-11T10:30:00||||Rent'],
  },
  'dates-in-words.csv': {
    rows: [
      'credit|1500.00||2018-02-10||||Order 1',
      'debit|700.00||2018-02-11||||Rent',
      'debit|5.00||2018-03-01||||Fee',
      'debit|6.00||2018-09-02||||Fee',
    ],
  },
  'dates-in-russian-words.csv': {
    rows: [
      'credit|1500.00||2018-02-10||||Заказ 1',
      'debit|700.00||2018-05-11||||Аренда',
      'debit|5.00||2018-09-01T10:30:00||||Комиссия',
      'debit|6.00||2018-10-01||||Комиссия',
    ],
  },
  'two-digit-years.csv': { rows: ['credit|1500.00||2026-01-30||||Order 1', 'debit|700.00||2026-01-29||||Rent'] },
  // 25 January 2026, or 26 January 2025.
  'two-digit-years-in-doubt.csv': { fault: [1, /whether the day, the month or the year comes first/] },
  'two-digit-years-first.csv': { rows: ['credit|1500.00||2025-01-26||||Order 1', 'debit|700.00||2025-01-27||||Rent'] },
  'dates-in-doubt-with-milliseconds.csv': { fault: [1, /whether the day, the month or the year comes first/] },
  'direction-latin-dk.csv': {
    rows: ['credit|1500.00|eur|2026-01-30|Anna|||Order 1', 'debit|700.50|eur|2026-01-31|Landlord|||Rent'],
  },
  'direction-sh.csv': {
    rows: ['credit|1500.00||2026-01-30||||Auftrag 1', 'debit|700.50||2026-01-31||||Miete'],
  },
  'direction-k-alone.csv': { fault: [2, /Nothing says which rows are credits/] },
  'card-account-amount.csv': {
    rows: [
      'credit|1000.40||2026-01-31||||Перевод от Анны',
      'debit|1050.25||2026-01-30||||Cafe Paris',
      'debit|0.01||2026-01-29||||Округление',
    ],
  },
  'card-currencies.csv': {
    rows: [
      'debit|1050.25|rub|2026-01-30T14:35:00||||Cafe Paris',
      'credit|5000.00|rub|2026-01-30T15:00:00||||Анна К.',
      'pending debit|1.00|rub|2026-01-30T16:00:00||||Cafe',
    ],
  },
  // The account says whether it has this currency; a row of another one is refused, never taken for its own.
  'amount-currencies.csv': {
    rows: [
      'debit|10.00|usd|2026-01-30||||Cafe Paris',
      'credit|1500.00|rub|2026-01-30||||Заказ 1',
      'credit|700.00|rub|2026-01-31||||Заказ 2',
      'debit|5.00|eur|2026-01-31||||Cafe Rome',
      'credit|5.00||2026-01-31||||Заказ 3',
    ],
  },
  'amount-in-dollars.csv': {
    rows: ['debit|10.00|usd|2026-01-30||||Cafe Paris', 'credit|20.00|usd|2026-01-31||||Заказ 1'],
  },
  'amount-forms.csv': {
    rows: [
      ...['credit|0.50||2026-01-30||||a', 'credit|7.25||2026-01-30||||b', 'credit|12.00||2026-01-30||||c'],
      ...['debit|60.00||2026-01-30||||d', 'debit|1234.50||2026-01-30||||e', 'debit|1250.75||2026-01-30||||f'],
    ],
  },
  'amount-forms-with-comma.csv': {
    rows: [
      ...['credit|0.50||2026-01-30||||a', 'credit|12.00||2026-01-30||||b', 'debit|60.00||2026-01-30||||c'],
      ...['credit|2000.00||2026-01-30||||d', 'credit|1250000.75||2026-01-30||||e'],
    ],
  },
  'amounts-in-doubt.csv': { fault: [2, /"-3,000".* may be thousands or decimals/] },
  'amounts-in-doubt.csv with the mark': {
    given: { decimalMark: ',' },
    rows: ['debit|3.00||2026-01-30||||Supplier', 'credit|1.65||2026-01-31||||Order 1'],
  },
  'amount-of-two-marks.csv': { fault: [3, /"1,234,56" in column "Amount" is not an amount/] },
  'amount-of-two-numbers.csv': { fault: [3, /"12 34.50" in column "Amount" is not an amount/] },
  'balance-unreadable.csv': { fault: [2, /The opening balance "1\.000,00" is not an amount/] },
  'value-date-in-another-year.csv': {
    rows: ['credit|1500.00||2026-01-02||||Заказ 1', 'debit|700.50||2025-12-30||||Аренда'],
  },
  'booking-date.csv': {
    rows: ['debit|5.00||2026-01-27||||Заказ 1', 'credit|7.00||2026-01-28||||Заказ 2'],
  },
  'pending-without-date.csv': { rows: ['credit|10.00|rub|2026-01-30||||Заказ 1'], skipped: ['pending'] },
  'no-header.csv': { fault: [1, /by their numbers if the file has no header/] },
  'no-header.csv without a date in the mapping': {
    given: { columns: { amount: 3 } },
    fault: [1, /The mapping must name the columns of the date/],
  },
  'no-header.csv by numbers': {
    given: { columns: { date: 1, payerName: 2, amount: 3, text: 4 } },
    rows: ['credit|1500.00||2026-01-30|Анна|||Заказ 1', 'debit|700.00||2026-01-31||||Аренда'],
  },
  'two-columns-of-one-name.csv by numbers': {
    given: { columns: { date: 'Дата', amount: 4, currency: 5, text: 'Описание' } },
    rows: ['debit|1050.25|rub|2026-01-30||||Cafe Paris', 'credit|520.00|rub|2026-01-30||||Возврат'],
  },
  'currency-names.csv': {
    rows: ['10.00', '11.00', '12.00', '13.00', '14.00'].map(
      (amount, index) => `credit|${amount}|rub|2026-01-30||||${'abcde'[index]}`,
    ),
  },
  'currency-uzs.csv': {
    rows: ['10.00', '11.00', '12.00'].map((amount, index) => `credit|${amount}|uzs|2026-01-30||||${'abc'[index]}`),
  },
  'balance.mt940.sta': {
    rows: ['credit|150.00|rub|2026-01-30||||Order 1', 'credit|10.00|rub|2026-01-30||||Order 2'],
  },
  // The bank of `/BIC/` is not a part of the account number before it, and the last line of the file begins with a blank.
  'named-bic.mt940.sta': {
    rows: [
      'credit|10.00|rub|2026-01-30|Anna Payer|40817810000000000042|AAAARUMM|Order 1',
      'debit|4.00|rub|2026-01-30|Landlord|40702810900000000077|BBBBRUMM|Rent',
    ],
  },
  'dollar-amounts.csv': {
    rows: [
      'credit|1500.00||2026-01-30||||Order 1',
      'debit|700.25||2026-01-30||||Rent',
      'debit|20.00||2026-01-31||||Fee',
      'debit|5.00||2026-01-31||||Card',
    ],
  },
  'iso-8859-1.csv': {
    rows: [
      'credit|1500.00|eur|2026-01-30|Jürgen Groß|||Auftrag 1 für Müller',
      'debit|20.50|eur|2026-01-31|Café Zoë|||Frühstück',
    ],
  },
  'iso-8859-15.csv': {
    rows: ['credit|1500.00|eur|2026-01-30|Žofie Štastná|||Order 1, 1500 €', 'debit|20.50|eur|2026-01-31||||Fee 20 €'],
  },
  // A real file, because writers of workbooks differ in bytes: rows that are coloured to the last column of the sheet.
  'coloured-rows.xlsx': {
    rows: ['credit|1500.00|rub|2026-01-30|Иванов Иван|||Заказ 1', 'debit|700.50|rub|2026-01-31|ООО Аренда|||Аренда'],
  },
  'whole-amount.mt940.sta': { rows: ['credit|500.00|rub|2026-01-30||||Order 1'] },
  'entry-years.mt940.sta': {
    rows: [
      'credit|10.00|eur|2026-01-02||||backdated',
      'credit|11.00|eur|2025-12-31||||value ahead',
      'credit|12.00|eur|2026-01-02||||backdated by more than half a year',
      'credit|13.00|eur|2026-01-02||||value ahead by more than half a year',
      'debit|6.00|eur|2026-01-02||||as usual',
      'credit|14.00|eur|2025-07-15||||any month',
      'credit|15.00|eur|2025-06-13||||of three years',
      'credit|16.00|eur|2025-12-30||||before the balances, whose day is that of the file',
    ],
  },
  'entry-years.mt942.sta': {
    rows: ['credit|12.00|eur|2026-01-02||||backdated', 'credit|13.00|eur|2025-12-30||||not of this day'],
  },
  'entry-leap-day.mt940.sta': {
    rows: ['credit|10.00|eur|2024-02-29||||backdated', 'credit|11.00|eur|2024-02-29||||a year ahead'],
  },
  'row-with-a-broken-date.mt942.sta': { fault: [8, /The row \(:61:\) is not in the form of MT940 .*"26013C11,00/] },
  'entry-no-leap-day.mt940.sta': { fault: [5, /entry date 0229, but neither its statement nor its value date/] },
  // Lines of texts that look like fields or ends of messages, of which only `:62F:C260130…` and the like are.
  'text-like-fields.mt940.sta': {
    rows: [
      'credit|10.00|eur|2026-01-30|Payer One|||order-1 sent 30.01.2026T14:25:07 Konto 12345678 by a payer whose own bank names it',
      'credit|11.00|eur|2026-01-30||||order-2 sent at 14:20:37, read at 14:21:15 and 14:25:59 by Payer Two',
      'credit|12.00|eur|2026-01-30||||second line 14:26:37 of the row',
      'credit|13.00|eur|2026-01-30||||order-4 :61: is a field :61:07 is none :62F: nor is this :28:30 nor this :25:DE89370400440532013000 is another account',
      'credit|14.00|eur|2026-01-30||||order-5 - -REST -AB of Payer Five',
      'credit|15.00|eur|2026-01-30||||order-6 of Payer Six -',
      'credit|1.00|eur|2026-01-30||||order-7',
    ],
  },
  'text-like-fields.mt942.sta': {
    rows: [
      'credit|10.00|eur|2026-01-30||||order-1 - of Payer One',
      'credit|11.00|eur|2026-01-30||||order-2',
      'credit|12.00|eur|2026-01-30||||order-3 at 14:20:37 of Payer Three',
    ],
    account: 'DE02100100100006820101',
  },
  'text-like-fields.csv': {
    rows: ['credit|10.00||2026-01-30||||sent at 14 :20:37 from :25:07 Payer', 'debit|4.00||2026-01-30||||Fee'],
  },
  'no-20.mt940.sta': {
    rows: [
      'credit|7.00|eur|2026-01-30|PAYER ONE|||ORDER 1',
      'credit|8.00|eur|2026-01-30||||ORDER 2',
      'credit|9.00|eur|2026-01-31||||ORDER 3',
    ],
  },
  'no-20.mt942.sta': {
    rows: ['credit|10.00|eur|2026-01-30||||order-1', 'credit|11.00|eur|2026-01-30||||order-2'],
  },
  'balance-of-no-day.mt940.sta': { fault: [7, /a date that does not exist: "C260231EUR110,00"\. Ask the bank/] },
  'sum-unreadable.mt942.sta': {
    fault: [8, /The sum \(:90C:\) is not in the form of MT942 .*"1EUR10\.00"\. Ask the bank/],
  },
  'thousands-in-doubt.ofx': { fault: [7, /"1,650" may be 1\.650 or 1650, .*: ask the bank for amounts with two/] },
  'thousands-in-doubt-with-a-point.ofx': { fault: [7, /"-1\.650" may be -1650 or -1\.650/] },
  'comma-shown-by-another-row.ofx': {
    rows: ['credit|1.65|eur|2026-01-30|Payer', 'credit|12.50|eur|2026-01-30|Payer'],
  },
  'thousands-shown-by-the-balance.ofx': { rows: ['credit|1650.00|eur|2026-01-30|Payer'] },
  'three-decimals.ofx': { rows: ['credit|1.65|kwd|2026-01-30|Payer', 'debit|2.50|kwd|2026-01-30|Payer'] },
  'grouped.ofx': {
    rows: [
      'credit|1234.56|eur|2026-01-30|Payer',
      'debit|1234567.80|eur|2026-01-30|Payer',
      'credit|1000000.00|eur|2026-01-30|Payer',
      'credit|0.65|eur|2026-01-30|Payer',
      'credit|1234.50|eur|2026-01-30|Payer',
    ],
  },
  'local-times.ofx': {
    rows: [
      'credit|10.00|eur|2026-01-30T10:30:00|Payer',
      'credit|11.00|eur|2026-01-30|Payer',
      'credit|12.00|eur|2026-01-30T10:30:00Z|Payer',
      'credit|13.00|eur|2026-01-31T23:59:00|Payer',
    ],
  },
  'balance-unreadable.ofx': {
    fault: [9, /The amount of the balance \(BALAMT\) is not a number: "12,34,5"\. Ask the bank/],
  },
  'balance-empty.ofx': { rows: ['credit|10.00|eur|2026-01-30|Payer'] },
  'wrong-end-of-statement.ofx': { rows: ['credit|10.00|eur|2026-01-30|Payer'] },
  'no-end-of-statement.ofx': { rows: ['credit|10.00|eur|2026-01-30|Payer'] },
  'no-end-at-all.ofx': {
    fault: [5, /began on line 5 \(STMTRS\) has no end tag \(<\/STMTRS>\) before <\/OFX> on line 8: download/],
  },
  'wrong-end-of-transaction.ofx': {
    fault: [7, /began on line 7 \(STMTTRN\) has no end tag .* before <STMTTRN> on line 8/],
  },
  'wrong-end-of-payee.ofx': { rows: ['credit|10.00|eur|2026-01-30|Payer|42|1|Order 1'] },
  'bank.ofx': {
    rows: [
      'credit|1500.00|rub|2026-01-30|Anna & Co|||Order 1 & 2',
      'debit|700.50|rub|2026-01-31T10:30:15+03:00|Landlord|40817810000000000042|044525222|Rent',
      'debit|0.50|rub|2026-01-31',
    ],
    skipped: ['zero'],
  },
  'card.qfx': { rows: ['credit|10.00|eur|2026-01-30|Müller'] },
  'contradiction.ofx': {
    fault: [16, /is a DEBIT \(TRNTYPE\), but the sign of its amount \(TRNAMT 700\.5\) says the opposite/],
  },
  'transaction-outside.ofx': { fault: [9, /The transaction is in no statement of an account/] },
  'second-one-cut-off.ofx': { fault: [15, /cut off: its last tag/] },
  'cut-off.ofx': { fault: [20, /cut off: its last tag/] },
  'pending-without-date.camt052.xml': { rows: ['credit|11.00|rub|2026-01-30'], skipped: ['pending'] },
  'af-bij.csv': {
    rows: [
      'credit|20.00|eur|2026-01-30|Anna|NL00BANK0000000042||Order 1',
      'debit|1.25|eur|2026-01-31|Landlord|NL00BANK0000000043||Rent',
    ],
  },
  'code-letters.csv': { fault: [2, /Nothing says which rows are credits/] },
  'points-and-notes.csv': {
    rows: ['credit|5000.00|kzt|2026-01-30||||Order 1', 'debit|6400.00|kzt|2026-01-31||||Cafe'],
    skipped: ['notes'],
  },
  'debits-only.csv': { rows: ['debit|30000.00||2026-01-30|ТОО Поставщик'] },
  'business.csv': {
    rows: [
      'credit|1500.00|rub|2026-01-30|Анна|40817810000000000042|044525222|Заказ 1',
      'debit|700.50|rub|2026-01-31|ООО Аренда|40702810900000000077|044525333|Аренда',
    ],
  },
  'sums-by-side.csv': {
    rows: ['credit|1500.00|rub|2026-01-30|Анна|||Заказ 1', 'debit|700.50|rub|2026-01-31|ООО Аренда|||Аренда'],
  },
  'storno-in-its-column.csv': {
    fault: [3, /The row is a debit. The debits before it have no minus, but this one has one/],
  },
  'comma-cuts.csv': { fault: [2, /the comma of its amount is taken for the end of a cell/] },
  'pages.csv': { rows: ['credit|1.00||2026-01-30||||a', 'debit|2.00||2026-01-31||||b'] },
  'proprietary-account.camt052.xml': { rows: ['credit|10.00|rub|2026-01-30|Anna|408178'] },

  'debit.camt053.xml': {
    rows: ['debit|150.00|rub|2026-01-30|Anna Payee|40817810000000000042|AAAARUMM|Refund of order 7'],
    skipped: ['zero'],
  },
  'debit.1c.txt': {
    rows: ['debit|150.00|rub|2026-01-30|Анна Получатель|40817810000000000042|044525222|Возврат по заказу 7'],
    skipped: ['zero'],
  },
  // Kazakhstan: other names of fields, and sums that say which way they went.
  'kazakhstan.1c.txt': {
    rows: [
      'credit|7300.50|kzt|2026-01-29|ТОО "Покупатель"|KZ000000000000000042|AAAAKZKA АО "Банк"|Заказ 1',
      'debit|4000.00||2026-01-30|Анна П.|KZ000000000000000077||Перевод на карту',
      'debit|55.00||2026-01-30|АО "Банк"||AAAAKZKA|Комиссия',
    ],
    skipped: ['zero'],
    account: 'KZ000000000000000001',
  },
  // The date of the document (Дата) is a day or more before its money moved.
  'dates-of-booking.1c.txt': {
    rows: [
      'credit|1.00|rub|2026-11-27||40817810000000000042',
      'credit|2.00|rub|2026-11-27T14:05:33||40817810000000000042',
      'credit|3.00|rub|2026-11-27T09:05:00||40817810000000000042',
      'credit|4.00|rub|2026-11-28||40817810000000000042',
      'credit|5.00|rub|2026-11-28||40817810000000000042',
      'debit|6.00|rub|2026-11-28||40817810000000000042',
      'debit|7.00|rub|2026-11-26||40817810000000000042',
    ],
  },
  'one-day.1c.txt': {
    rows: ['credit|1', 'credit|2', 'debit|3', 'credit|4'].map(
      (row) => `${row}.00|rub|2026-11-27||40817810000000000042`,
    ),
  },
  // Between two own accounts: the first document once for each of them, the second one once for both.
  'own-transfer-listed-twice.1c.txt': {
    rows: ['credit|5', 'debit|5', 'credit|7', 'debit|7'].map(
      (row) => `${row}.00|rub|2026-11-27||4070281090000000000${row.startsWith('credit') ? 1 : 2}`,
    ),
  },
  // Money cannot arrive before it was debited, whatever day the file says it is of.
  'one-day-in-the-head.1c.txt': {
    rows: ['credit|1.00|rub|2026-11-26||40817810000000000042', 'credit|2.00|rub|2026-11-27||40817810000000000042'],
  },
  'purpose-in-parts.1c.txt': {
    rows: [
      'credit|1.00|rub|2026-11-26||40817810000000000042||Оплата за услуги по заказу order-1',
      'credit|2.00|rub|2026-11-26||40817810000000000042||Оплата заказа order-2',
      'credit|3.00|rub|2026-11-26||40817810000000000042||Оплата заказа order-3',
      'credit|4.00|rub|2026-11-26||40817810000000000042||Оплата заказа order-4',
      'credit|5.00|rub|2026-11-26|Анна П.|40817810000000000042||order-5',
    ],
  },
  'purpose-over-lines.1c.txt': {
    rows: [
      'credit|1.00|rub|2026-11-26||40817810000000000042||Оплата по заказу order-1',
      'credit|2.00|rub|2026-11-26||40817810000000000042||Оплата заказ=order-2 Заказ=2, клиент=7 Сумма=99999',
      'credit|3.00|rub|2026-11-26|ООО Покупатель|40817810000000000042||Оплата http://shop.example/?a=b order-3 БанковскоеПоле=x',
      'credit|4.00|rub|2026-11-26||40817810000000000042||order-4',
    ],
  },
  'no-account.1c.txt': {
    rows: [
      'credit|1.00||2026-11-26|Анна|40817810000000000042',
      'credit|2.00||2026-11-26|Борис|KZ000000000000000042',
      'debit|4.00||2026-11-27|Вера|KZ000000000000000043',
    ],
    account: null,
  },
  'amounts.1c.txt': {
    rows: ['1650.00', '0.50', '12.00', '7.25', '1.00'].map(
      (amount) => `credit|${amount}|rub|2026-11-26||40817810000000000042`,
    ),
  },
  'amounts.camt053.xml': {
    rows: [
      'credit|0.02|eur|2026-11-23',
      'credit|7.25|eur|2026-11-23',
      'credit|12.00|eur|2026-11-23',
      'debit|149.87|eur|2026-11-23',
    ],
    skipped: ['zero'],
  },
  'payments-of-an-entry.camt053.xml': {
    rows: [
      'credit|10.00|eur|2026-11-24|Anna|||order-1',
      'credit|20.00|eur|2026-11-24|Bert|||order-2',
      'credit|10.50|eur|2026-11-24|Anna|||order-3',
      'credit|20.00|eur|2026-11-24|Bert|||order-4',
      'credit|980.00|eur|2026-11-24|Anna|||order-5',
      'credit|397.00|eur|2026-11-24|Bert|||order-6',
      'credit|88.50|eur|2026-11-24|Carl|||order-7',
      'credit|1.00|eur|2026-11-24|Dora|||order-8',
      'debit|11.50|eur|2026-11-24|Emil|||refund 1',
      'debit|20.00|eur|2026-11-24|Fred|||refund 2',
      // These do not add up.
      'credit|100.00|eur|2026-11-24|Anna, Bert|||order-9, +7 999 000-00-01; order-10',
      'credit|7.00|eur|2026-11-24|Anna, Bert|||order-11; order-12',
      'credit|8.00|eur|2026-11-24|Anna, Bert|||order-13; order-14',
    ],
  },
  'debit.mt940.sta': {
    rows: ['debit|150.00|rub|2026-01-30|Anna Payee|40817810000000000042|AAAARUMM|Refund of order 7'],
    skipped: ['zero'],
  },
}

describe('corpus', () => {
  for (const [name, { rows, skipped = [], fault, given, account }] of Object.entries(cases)) {
    test(`${name} is ${fault ? 'refused with its line' : 'read'}`, async () => {
      const read = await readFile(
        readFileSync(join(import.meta.dirname, 'corpus', name.split(' ')[0] ?? '')),
        given ? { mapping: given } : {},
      )
      if (fault) {
        assert.equal(read.faults[0]?.line, fault[0], JSON.stringify(read.faults))
        assert.match(read.faults[0]?.reason ?? '', fault[1])
        if (/\.csv/.test(name)) assert.match(read.faults[0]?.reason ?? '', /[:.] .+\.$|must/, 'it says what to do next')
        return
      }
      assert.deepEqual(read.faults, [])
      assert.deepEqual(read.rows.map(short), rows)
      assert.deepEqual(read.skipped, skipped)
      if (account !== undefined) assert.deepEqual([...new Set(read.rows.map((row) => row.account))], [account])
    })
  }
})

test('an OFX file that is cut off anywhere is refused with a line', async () => {
  const whole = readFileSync(join(import.meta.dirname, 'corpus', 'bank.ofx'))
    .toString()
    .trimEnd()
  for (let length = 0; length < whole.length; length++) {
    const { faults } = await readFile(whole.slice(0, length), { pieceBytes: 50 })
    assert.ok((faults[0]?.line ?? 0) >= 1, `cut at ${length}`)
  }
})

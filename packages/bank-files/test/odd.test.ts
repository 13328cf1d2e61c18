// Files as they should not be, and still come: what is read of them, and what is refused with which line.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readFile } from './support/read-file.ts'
import { camtOf, csvOf, exchangeOf, type Made, mt940Of } from './support/made-files.ts'

const account = '40702810900000000001'
const made: Made = {
  account,
  opening: 10_00n,
  rows: [
    { minor: 1234_50n, date: '2026-01-30', text: 'same' },
    { minor: 1234_50n, date: '2026-01-30', text: 'same' },
    { minor: -5_00n, date: '2026-01-31', text: 'fee' },
  ],
}
const formats = { camt: camtOf, '1c': exchangeOf, mt940: mt940Of, csv: csvOf } as const
const essence = async (content: string | Uint8Array) => {
  const { rows, balances, faults } = await readFile(content, { pieceBytes: 7 })
  return {
    rows: rows.map(({ direction, amount, booked }) => [direction, Number(amount), booked]),
    balances: balances.map(({ opening, closing }) => [Number(opening), Number(closing)]),
    faults,
  }
}

/** The section of balances of a 1C file. */
const sectionOf = (file: string): string => /СекцияРасчСчет.*?КонецРасчСчет/s.exec(file)?.[0] ?? ''

for (const [name, render] of Object.entries(formats)) {
  const plain = render(made)
  const expected = {
    rows: [
      ['credit', 1234.5, '2026-01-30'],
      ['credit', 1234.5, '2026-01-30'],
      ['debit', 5, '2026-01-31'],
    ],
    balances: [[10, 2474]],
    faults: [],
  }
  const lined = (end: string): string => plain.replace(/\r?\n/g, end)
  const shapes: Readonly<Record<string, string | Uint8Array>> = {
    'as it is': plain,
    'with a byte order mark': `\ufeff${plain}`,
    'with LF': lined('\n'),
    'with CRLF': lined('\r\n'),
    'with CR': lined('\r'),
    'with empty lines before and after': `\r\n\r\n${plain.replace(/^<\?xml.*?\?>/, '')}\r\n\r\n`,
    'in UTF-16': Buffer.from(`\ufeff${plain}`, 'utf16le'),
  }
  for (const [shape, content] of Object.entries(shapes)) {
    test(`${name} ${shape} is read`, async () => assert.deepEqual(await essence(content), expected))
  }

  test(`${name} without a row is read: its balances only`, async () => {
    const empty = await essence(render({ ...made, rows: [] }))
    assert.deepEqual(empty, { rows: [], balances: [[10, 10]], faults: [] })
  })
}

test('several statements and accounts in one camt are distinguished, each with its balances', async () => {
  const statement = (number: string, minor: bigint): string =>
    /<Stmt>.*<\/Stmt>/s.exec(camtOf({ account: number, rows: [{ minor, date: '2026-01-30' }] }))?.[0] ?? ''
  const file = camtOf(made).replace('</BkToCstmrStmt>', `${statement('A', 1n)}${statement('B', 2n)}</BkToCstmrStmt>`)
  const { rows, balances, faults } = await readFile(file)
  assert.deepEqual(faults, [])
  assert.deepEqual(
    rows.map((row) => row.account),
    [account, account, account, 'A', 'B'],
  )
  assert.deepEqual(
    balances.map((balance) => [balance.account, balance.closing]),
    [
      [account, '2474.00'],
      ['A', '0.01'],
      ['B', '0.02'],
    ],
  )
})

test('several accounts in one 1C are distinguished; what goes from one to the other is a row of both', async () => {
  const other = '40702810900000000002'
  const own = exchangeOf({ account, rows: [{ minor: -7_00n, date: '2026-01-30', payerAccount: other }] })
  const section = sectionOf(exchangeOf({ account: other, rows: [{ minor: 7_00n, date: '2026-01-30' }] }))
  const { rows, balances, faults } = await readFile(own.replace('КонецРасчСчет', `КонецРасчСчет\r\n${section}`))
  assert.deepEqual(faults, [])
  assert.deepEqual(rows.map((row) => `${row.account} ${row.direction}`).toSorted(), [
    `${account} debit`,
    `${other} credit`,
  ])
  assert.deepEqual(balances.map((balance) => `${balance.account} ${balance.closing}`).toSorted(), [
    `${account} -7.00`,
    `${other} 7.00`,
  ])
})

const long = 'x'.repeat(1024 * 1024)
const bomb = `<!DOCTYPE a [<!ENTITY a "${'x'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(1000)}">]>`
const csv = (...lines: readonly string[]): string => ['date;amount;text', ...lines, ''].join('\n')

/** Files that are refused: what is sent, the line and a part of the reason. */
const refused: Readonly<Record<string, readonly [content: string | Uint8Array, line: number, reason: RegExp]>> = {
  empty: ['', 1, /The file is empty/],
  'nothing but spaces': [' \r\n \r\n', 1, /names the columns/],
  'a byte order mark only': ['\ufeff', 1, /names the columns/],
  'NUL bytes': [Buffer.from(exchangeOf(made).replace('Плательщик1', 'Пл\0')), 1, /not a text/],
  'an unknown character set': [
    camtOf(made).replace('encoding="UTF-8"', 'encoding="KOI8-R"'),
    1,
    /KOI8-R, which is not supported/,
  ],
  'another character set than declared': [
    Buffer.from(camtOf(made).replace('same', '\u00e9\u00e9'), 'latin1'),
    13,
    /not in utf-8/,
  ],
  'entities that expand': [camtOf(made).replace('?>', `?>\n${bomb}`), 2, /document type/],
  'deep elements': [camtOf(made).replace('<Ntry>', '<Ntry>'.repeat(100)), 8, /deeper than 64/],
  'a long text in camt': [camtOf(made).replace('same', long), 13, /far too long/],
  'a long line in 1C': [exchangeOf(made).replace('same', long), 23, /line is longer than 65536 characters/],
  'a long line in MT940': [mt940Of(made).replace('same', long), 6, /line is longer than 65536 characters/],
  'a quotation mark that does not end': [csv(`2026-01-30;1.00;"${long}`), 2, /quotation mark/],
  'a negative amount in camt': [
    camtOf(made).replace('>1234.50', '>-1234.50'),
    8,
    /\(Amt\) is not a number with a point and without a minus: "-1234.50"/,
  ],
  'a decimal comma in camt': [
    camtOf(made).replace('>1234.50', '>1234,50'),
    8,
    /\(Amt\) is not a number with a point .*: "1234,50"/,
  ],
  'a negative amount in 1C': [exchangeOf(made).replace('Сумма=1234.50', 'Сумма=-1234.50'), 15, /above zero/],
  'three decimals in 1C': [
    exchangeOf(made).replace('Сумма=1234.50', 'Сумма=1234.501'),
    18,
    /Сумма is not an amount .*: "1234.501"/,
  ],
  'thousands or decimals in 1C': [exchangeOf(made).replace('Сумма=1234.50', 'Сумма=1,650'), 18, /Сумма .*: "1,650"/],
  'both marks in 1C': [exchangeOf(made).replace('Сумма=1234.50', 'Сумма=1.234,50'), 18, /Сумма .*: "1\.234,50"/],
  'thousands or decimals in a sum of 1C': [
    exchangeOf(made).replace(/ВсегоПоступило=.*/, 'ВсегоПоступило=2,469'),
    11,
    /ВсегоПоступило .*: "2,469"/,
  ],
  'a balance of 1C that is not an amount': [
    exchangeOf(made).replace(/КонечныйОстаток=.*/, 'КонечныйОстаток=нет'),
    13,
    /КонечныйОстаток .*: "нет"/,
  ],
  'a balance of 1C with more decimals than noise has': [
    exchangeOf(made).replace(/НачальныйОстаток=.*/, 'НачальныйОстаток=10.0000011'),
    10,
    /НачальныйОстаток .*: "10\.0000011"/,
  ],
  'a balance of camt with a minus': [camtOf(made).replace('>10.00', '>-10.00'), 4, /the balance .*: "-10\.00"/],
  'a balance of camt that is not an amount': [
    camtOf(made).replace('>2474.00', '>2,474.00'),
    6,
    /the balance .*: "2,474/,
  ],
  'a balance of camt without an amount': [camtOf(made).replace('>2474.00', '>'), 6, /The balance has no amount/],
  'only the date of the document in 1C, of several days': [
    exchangeOf(made).replaceAll('ДатаПоступило', 'Поле'),
    15,
    /on which day the money arrived \(ДатаПоступило\), .* export each day/,
  ],
  'only the date of the document in 1C, of money out': [
    exchangeOf(made).replaceAll('ДатаСписано', 'Поле'),
    35,
    /on which day the money left \(ДатаСписано\)/,
  ],
  'a document of 1C that was written after the only day of its file': [
    exchangeOf(made)
      .replaceAll('ДатаПоступило', 'Поле')
      .replaceAll(/(ДатаНачала|ДатаКонца)=.*/g, '$1=29.01.2026'),
    15,
    /on which day the money arrived/,
  ],
  'money of 1C that would arrive before the statement begins': [
    exchangeOf(made).replace(/ДатаПоступило=.*/, 'ДатаСписано=31.12.2025'),
    15,
    /on which day the money arrived/,
  ],
  'a day of 1C that later balances contradict': [
    exchangeOf(made)
      .replaceAll('ДатаПоступило', 'Поле')
      .replace('ДатаНачала=01', 'ДатаНачала=31')
      .replace('КонецФайла', `${sectionOf(exchangeOf(made))}\r\nКонецФайла`),
    45,
    /were read by the days 2026-01-31 to 2026-01-31, but the section has other days/,
  ],
  'a date of 1C in another form': [
    exchangeOf(made).replace('ДатаПоступило=30.01.2026', 'ДатаПоступило=2026/01/30'),
    15,
    /\(ДатаПоступило\) is not a day, such as 31\.01\.2026: "2026\/01\/30"/,
  ],
  'a time of 1C that is none': [
    exchangeOf(made).replace('ДатаПоступило=30.01.2026', 'ДатаПоступило=30.01.2026 24:05'),
    15,
    /\(ДатаПоступило\) is not a day/,
  ],
  'a line after an amount of 1C': [
    exchangeOf(made).replace('Сумма=1234.50', 'Сумма=1\r\n234.50'),
    19,
    /is not a field/,
  ],
  'a second sum in a document of 1C': [
    exchangeOf(made).replace('ПлательщикСчет', 'Сумма=1.00\r\nПлательщикСчет'),
    19,
    /the field Сумма twice, with different values: "1234\.50" and "1\.00"/,
  ],
  'a 1C without an account, and a document that does not say its direction': [
    exchangeOf({ ...made, rows: made.rows.slice(2) }).replaceAll(/РасчСчет=.*\r\n/g, ''),
    13,
    /does not name its account, .* write РасчСчет=/,
  ],
  'an account of 1C that is named after documents': [
    exchangeOf({ ...made, rows: made.rows.slice(0, 2) })
      .replaceAll(/(?<!\p{L})РасчСчет=.*\r\n/gu, '')
      .replace('КонецФайла', 'РасчСчет=1\r\nКонецФайла'),
    33,
    /names its account \(РасчСчет\) after documents/,
  ],
  'a point in MT940': [mt940Of(made).replace('C1234,50', 'C1234.50'), 5, /not in the form of MT940/],
  'a 30th of February': [csv('2026-02-30;1.00;a'), 2, /not a date/],
  'an amount below cells with line breaks': [
    csv('2026-01-30;-1.00;"a\r\nb\r\nc"', '2026-01-31;x;d'),
    5,
    /not an amount/,
  ],
  'an amount in a file with two kinds of line ends': [
    csv('2026-01-30;-1.00;a\r', '2026-01-31;x;b\r'),
    3,
    /not an amount/,
  ],
  'a quotation mark before the header': [`"title\n${csv('2026-01-30;1.00;a')}`, 1, /quotation mark/],
  'an amount without digits': [csv('2026-01-30;abc;a'), 2, /not an amount/],
  'a document of no account of the file': [
    exchangeOf(made).replaceAll(`ПолучательСчет=${account}`, 'ПолучательСчет=1'),
    15,
    /none of the accounts/,
  ],
  'a section in a section': [
    exchangeOf(made).replace('КонецРасчСчет\r\n', ''),
    14,
    /before the section that began on line \d+ \(СекцияРасчСчет\) has its end \(КонецРасчСчет\)/,
  ],
  'a row before the statement': [`:61:2601300130C1,00NTRF\n${mt940Of(made)}`, 1, /before the statement begins/],
}

describe('refused with its line', () => {
  for (const [name, [content, line, reason]] of Object.entries(refused)) {
    test(name, async () => {
      const { faults } = await readFile(content)
      assert.ok(faults.length > 0, 'it was read')
      assert.deepEqual([faults[0]?.line, reason.test(faults[0]?.reason ?? '')], [line, true], JSON.stringify(faults[0]))
    })
  }
})

test('amounts below zero leave the account, and a decimal comma is one, in CSV', async () => {
  const { rows } = await readFile(csv('2026-01-30;-1 234,50;a', '2026-01-30;"1.234,50";b', '2026-01-31;+0,01 ₽;c'))
  assert.deepEqual(
    rows.map(({ direction, amount }) => [direction, amount]),
    [
      ['debit', '1234.50'],
      ['credit', '1234.50'],
      ['credit', '0.01'],
    ],
  )
})

test('three digits after the only mark are refused in any row while no amount has shown which mark is decimal', async () => {
  const whole = Array.from({ length: 300 }, (_, index) => `2026-01-30;${index % 2 === 0 ? '-' : ''}9${index};a`)
  for (const amount of ['1.650', '1,650']) {
    const { faults } = await readFile(csv(...whole, `2026-01-30;${amount};b`))
    assert.deepEqual(
      faults.map(({ line, reason }) => [line, /may be thousands or decimals/.test(reason)]),
      [[302, true]],
    )
    const decided = await readFile(csv(...whole, `2026-01-30;${amount};b`, '2026-01-30;7.50;c'))
    assert.deepEqual(decided.faults, [])
  }
})

test('the columns of a CSV file are found by its complete lines: the last one may be cut off', async () => {
  const start = csv(`2026-01-30;-7;${'x'.repeat(30_000)}`, `2026-01-30;8;${'y'.repeat(30_000)}`)
  const cut = '\n2026-01-31;1,65'
  const upTo = start + 'z'.repeat(64 * 1024 - start.length - cut.length) + cut
  const { rows, faults } = await readFile(`${upTo}0.00;b\n`)
  assert.deepEqual(faults, [])
  assert.equal(rows.at(-1)?.amount, '1650.00')
})

test('what payers write never makes a row of a CSV file one of its sums', async () => {
  const lines = [
    'Date;Amount;Payer;Text',
    'Opening balance;;;0.00',
    '2026-01-30;+10.00;TotalEnergies SE;order 1',
    '2026-01-30;+11.00;Anna;Closing balance payment',
    '2026-01-31;+12.00;Balance Trading LLC;',
    '2026-01-31;+13.00;Борис;Остаток на начало года',
    'Total;46.00;;',
  ]
  const { rows, faults } = await readFile(lines.join('\n'))
  assert.deepEqual(faults, [])
  assert.deepEqual(
    rows.map(({ amount }) => Number(amount)),
    [10, 11, 12, 13],
  )
})

test('a dated line with an amount is a row of a CSV file unless it names a sum and nothing else', async () => {
  const lines = [
    'What;Date;Amount',
    'Opening balance as of 30.01.2026;2026-01-30;100.00',
    'Balance Trading LLC;2026-01-30;+10.00',
    'Итого Строй ООО;2026-01-30;+11.00',
    'Остаток по заказу 7;2026-01-30;+12.00',
    'Всего по счету за день;2026-01-30;33.00',
    'Total;2026-01-31;33.00',
    'Closing balance, RUB;2026-01-31;133.00',
  ]
  const mapped = { charset: 'utf-8', delimiter: ';', headerLine: 1, dateOrder: 'ymd', decimalMark: '.' } as const
  for (const columns of [
    { date: 'Date', amount: 'Amount' },
    { date: 'Date', amount: 'Amount', payerName: 'What' },
  ]) {
    const { rows, balances, faults } = await readFile(lines.join('\n'), { mapping: { ...mapped, columns } })
    assert.deepEqual(faults, [])
    assert.deepEqual(
      rows.map(({ amount }) => Number(amount)),
      [10, 11, 12],
    )
    assert.deepEqual([balances[0]?.opening, balances[0]?.closing], ['100.00', '133.00'])
  }
})

test('a booking with a status of the bank\u2019s own is not taken for booked', async () => {
  const plain = camtOf({ account, rows: [{ minor: 1_00n, date: '2026-01-30', text: 'x' }] })
  const own = plain.replace(/<Sts>.*?<\/Sts>/s, '<Sts><Prtry>PENDING</Prtry></Sts>')
  assert.notEqual(own, plain)
  const { rows } = await readFile(own)
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ['pending'],
  )
})

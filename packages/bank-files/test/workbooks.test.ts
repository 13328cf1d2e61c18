// Excel workbooks: read as a CSV is, with the same limits, and without computing anything.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ZipArchive } from '../src/formats/zip-archive.ts'
import { readFile } from './support/read-file.ts'
import { type Cell, workbookOf, zipOf } from './support/workbooks.ts'

const header = ['Дата операции', 'Д/К', 'Сумма', 'Валюта', 'Контрагент', 'Назначение']
const lines: readonly (readonly Cell[])[] = [
  ['Выписка по счету'],
  [],
  header,
  [{ day: 46052 }, 'К', 1234.56, 'RUR', 'Иванов & сын', 'Заказ 1'],
  [{ day: 46053.5 }, 'Д', 0.1 + 0.2, 'RUB', 'ООО Поставщик', 'Счет 7'],
  ['31.01.2026', 'К', '1 500,00', 'руб.', 'Анна', 'Заказ 2'],
  [{ day: 46053 }, 'К', 0, 'RUB', '', 'Уведомление'],
]
const short = ({ rows }: Awaited<ReturnType<typeof readFile>>): string[] =>
  rows.map(({ line, direction, amount, currency, booked, counterparty, text }) =>
    [line, direction, amount, currency, booked, counterparty.name, text].join('|'),
  )

test('a workbook is read by the columns of its sheet: texts, numbers and days', async () => {
  const read = await readFile(workbookOf({ Info: [['Bank', 'X']], Выписка: lines }), { pieceBytes: 100 })
  assert.deepEqual(read.faults, [])
  assert.deepEqual(short(read), [
    '4|credit|1234.56|rub|2026-01-30|Иванов & сын|Заказ 1',
    '5|debit|0.30|rub|2026-01-31T12:00:00|ООО Поставщик|Счет 7',
    '6|credit|1500.00|rub|2026-01-31|Анна|Заказ 2',
  ])
  assert.deepEqual(read.skipped, ['zero'])
  assert.deepEqual([read.shape?.format, read.shape?.charset, read.shape?.mapping?.headerLine], ['xlsx', null, 3])
})

test('names of columns with line breaks, and such as nobody can type, are mapped', async () => {
  const hidden = 'Назначение\u200b'
  const { shape, faults } = await readFile(
    workbookOf({
      S: [
        ['\ufeffДата\nоперации', 'Сумма', hidden, 'Валюта'.padEnd(300, ' x')],
        [{ day: 46052 }, -5, 'a', 'RUB'],
      ],
    }),
  )
  assert.deepEqual(faults, [])
  assert.deepEqual(shape?.mapping?.columns, { date: 'Дата операции', amount: 'Сумма', text: 3, currency: 4 })
})

test('a row of a workbook is booked by its booking date; amounts in texts have the forms of those in a CSV', async () => {
  const { rows, faults } = await readFile(
    workbookOf({
      S: [
        ['Дата валютирования', 'Дата проводки', 'Сумма', 'Назначение'],
        [{ day: 46021 }, { day: 46024 }, '7,25', 'a'],
        ['02.01.2026', '30.12.2025', '−2\u00a0000,00', 'b'],
        ['02.01.2026', '30.12.2025', ',50', 'c'],
        ['02.01.2026', '30.12.2025', '12,', 'd'],
      ],
    }),
  )
  assert.deepEqual(faults, [])
  assert.deepEqual(
    rows.map(({ booked, direction, amount }) => [booked, direction, Number(amount)]),
    [
      ['2026-01-02', 'credit', 7.25],
      ['2025-12-30', 'debit', 2000],
      ['2025-12-30', 'credit', 0.5],
      ['2025-12-30', 'credit', 12],
    ],
  )
})

test('a workbook with one time of day in all rows has days', async () => {
  const read = await readFile(
    workbookOf({
      S: [['Дата операции', 'Сумма'], ...[46052, 46053, 46054].map((day): Cell[] => [{ day: day + 1 / 24 }, -5])],
    }),
  )
  assert.deepEqual(
    read.rows.map(({ booked }) => booked),
    ['2026-01-30', '2026-01-31', '2026-02-01'],
  )
})

test('texts that the sheets share are read, without how they are spoken', async () => {
  const sheet =
    '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2" t="d"><v>2026-01-30</v></c><c r="B2"><v>-5</v></c></row></sheetData></worksheet>'
  const strings = '<sst><si><t>Date</t></si><si><r><t>Amo</t></r><r><t>unt</t></r><rPh><t>x</t></rPh></si></sst>'
  const read = await readFile(
    workbookOf({ S: [] }, { 'xl/worksheets/sheet1.xml': sheet, 'xl/sharedStrings.xml': strings }),
  )
  assert.deepEqual(read.faults, [])
  assert.deepEqual(short(read), ['2|debit|5||2026-01-30||'])
})

test('a formula counts with the value that was saved with it, and is never computed', async () => {
  const of = (cell: Cell) =>
    workbookOf({
      S: [
        ['Date', 'Amount'],
        [{ day: 46052 }, cell],
        [{ day: 46052 }, -1],
      ],
    })
  assert.deepEqual(short(await readFile(of({ formula: 'SUM(1,2)', value: 7 }))), [
    '2|credit|7||2026-01-30||',
    '3|debit|1||2026-01-30||',
  ])
  const { faults } = await readFile(of({ formula: '1+1' }))
  assert.equal(faults[0]?.line, 2)
  assert.match(faults[0]?.reason ?? '', /^"=1\+1" in column "Amount" is not an amount: correct it/)
})

const whole = workbookOf({ S: lines })
/** The workbook with another size than its sheet has, in the directory of the archive. */
const claiming = (size: number): Buffer => {
  const changed = Buffer.from(whole)
  changed.writeUInt32LE(size, changed.lastIndexOf('xl/worksheets/sheet1.xml') - 46 + 24)
  return changed
}

/** Each within the limit of a text, and together above it. */
const longRuns = `<r><t>${'x'.repeat(40_000)}</t></r>`.repeat(2)

/** Workbooks that are refused, and why. */
const refused: Readonly<Record<string, readonly [() => Buffer, RegExp]>> = {
  'two sheets with rows': [() => workbookOf({ A: lines, B: lines }), /Several sheets .* "A", "B"/],
  'too many sheets': [
    () => workbookOf(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`S${index}`, []]))),
    /more than 50 sheets/,
  ],
  'no sheet with a header': [() => workbookOf({ A: [['x']] }), /No line of the workbook names the columns/],
  'an archive of something else': [() => zipOf({ '_rels/.rels': '<Relationships/>' }), /not an Excel workbook/],
  'an archive that is cut off': [() => whole.subarray(0, whole.length - 30), /cut off, or damaged/],
  'a damaged sheet': [
    () => {
      const damaged = Buffer.from(whole)
      damaged.fill(
        0xff,
        damaged.indexOf('xl/worksheets/sheet1.xml') + 40,
        damaged.indexOf('xl/worksheets/sheet1.xml') + 80,
      )
      return damaged
    },
    /is damaged|not well-formed|does not have the size/,
  ],
  'more than can be unpacked': [() => claiming(300 * 1024 * 1024), /more than 256 MB unpacked/],
  'more than it says': [() => claiming(10), /does not have the size that the archive says/],
  'a document type': [
    () => workbookOf({ S: [] }, { 'xl/sharedStrings.xml': '<!DOCTYPE a [<!ENTITY b "c">]><sst/>' }),
    /DOCTYPE/,
  ],
  'too many columns': [
    () =>
      workbookOf(
        { S: [] },
        {
          'xl/worksheets/sheet1.xml':
            '<worksheet><sheetData><row r="1"><c r="XFD1"><v>1</v></c></row></sheetData></worksheet>',
        },
      ),
    /more than 1000 columns/,
  ],
  'a cell of many long texts': [
    () =>
      workbookOf(
        { S: [] },
        { 'xl/worksheets/sheet1.xml': `<row r="1"><c t="inlineStr"><is>${longRuns}</is></c></row>` },
      ),
    /a cell whose text is far too long/,
  ],
  'a shared text of many long ones': [
    () => workbookOf({ S: [] }, { 'xl/sharedStrings.xml': `<sst><si>${longRuns}</si></sst>` }),
    /a cell whose text is far too long/,
  ],
  'an unknown direction': [
    () => workbookOf({ S: [...lines, [{ day: 46053 }, 'Хм', 5, 'RUB', '', 'x']] }),
    /"Хм" in column "Д\/К" is not known/,
  ],
}

for (const [name, [make, reason]] of Object.entries(refused)) {
  test(`a workbook is refused: ${name}`, async () => {
    const { faults } = await readFile(make())
    assert.match(faults[0]?.reason ?? '', reason)
  })
}

test('an archive is unpacked up to a limit, however often its files are read', async () => {
  const archive = new ZipArchive(zipOf({ a: 'x'.repeat(1000) }), { file: 1000, total: 2500 })
  const read = async (): Promise<number> => {
    let length = 0
    for await (const piece of archive.read('a')) length += piece.length
    return length
  }
  assert.deepEqual([await read(), await read()], [1000, 1000])
  await assert.rejects(read(), /too large when unpacked/)
})

test('a workbook that is cut off anywhere is refused', async () => {
  for (let length = 0; length < whole.length; length += 7) {
    const { faults } = await readFile(whole.subarray(0, length))
    assert.ok(faults.length > 0, `cut at ${length}`)
  }
})

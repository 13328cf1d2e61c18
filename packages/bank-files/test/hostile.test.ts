// Files made to be slow to read: reading takes time in proportion to their size, and others are served meanwhile.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { FileFault } from '../src/file-fault.ts'
import { readStatement } from '../src/read-statement.ts'
import { zipOf } from './support/workbooks.ts'

const camt = (inside: string): string =>
  `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>${inside}`
const ofx = '<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>RUB'
const mt940 = ':20:A\n:25:40702810900000000001\n:60F:C260101RUB0,00\n'
const exchange = '1CClientBankExchange\nРасчСчет=40702810900000000001\n'
const csv = 'Дата;Сумма;Назначение\n01.01.2026;+1,00;A\n'
const book = (sheet: string, parts: Readonly<Record<string, string>> = {}): Buffer =>
  zipOf({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels':
      '<Relationships><Relationship Id="1" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${sheet}`,
    ...parts,
  })
const styled = (styles: string): Buffer =>
  book('', {
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="1" Type="x/styles" Target="styles.xml"/></Relationships>',
    'xl/styles.xml': `<styleSheet>${styles}`,
  })
const header = '<row><c t="inlineStr"><is><t>Дата</t></is></c><c t="inlineStr"><is><t>Сумма</t></is></c></row>'
const attributes = (count: number): string => Array.from({ length: count }, (_, index) => ` a${index}=""`).join('')

type MadeFile = (size: number) => string | Buffer
/** A beginning, and a text again and again up to the size. */
const again =
  (head: string, text: string): MadeFile =>
  (size) =>
    head + text.repeat(Math.ceil(size / text.length))

const kinds: Readonly<Record<string, MadeFile>> = {
  'CSV: empty lines': again('', '\n'),
  'CSV: empty lines after a row': again(csv, '\n'),
  'CSV: spaces': again(csv, ' '),
  'CSV: lines of spaces after the name of a balance': again(csv, `остаток на конец${' '.repeat(30_000)}\n`),
  'CSV: lines of digits after the name of a balance': again(csv, `остаток на конец ${'1'.repeat(30_000)}\n`),
  'CSV: separators': again(csv, `${';'.repeat(60_000)}\n`),
  'CSV: separators from the beginning': again('', ';'),
  'CSV: quotation marks': again(csv, '"'),
  'CSV: amounts of many digits': again(csv, `01.01.2026;${'1.'.repeat(15_000)};A\n`),
  'CSV: comments of XML': again('', '<!---->'),
  'XML: attributes': (size) => camt(`<Ntry${attributes(Math.ceil(size / 8))}></Ntry>`),
  'XML: attributes of the first element': (size) => `<Document${attributes(Math.ceil(size / 8))}>`,
  'XML: one attribute': again(camt('<Ntry a="'), 'x'),
  'XML: a comment without an end': again(camt('<!--'), '-'),
  'XML: instructions': again('', '<?a?>'),
  'XML: elements inside each other': again(camt(''), '<a>'),
  'XML: elements next to each other': again(camt('<Ntry>'), '<a/>'),
  'XML: payments of one entry': (size) =>
    camt(
      `<Ntry><Amt Ccy="RUB">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-31</Dt></BookgDt>
<NtryDtls>${'<TxDtls><Amt Ccy="RUB">1.00</Amt></TxDtls>'.repeat(size / 42)}</NtryDtls></Ntry>`,
    ),
  'XML: references to characters': again(camt('<Ntry><Amt>'), '&#49;'),
  'XML: a reference without an end': again(camt('<Ntry><Amt>&'), 'a'),
  'OFX: aggregates that do not end, then others that have not begun': (size) =>
    ofx + '<PAYEE>'.repeat(size / 14) + '</CURRENCY>'.repeat(size / 22),
  'OFX: beginnings of tags': again(ofx, '<'),
  'OFX: a tag of spaces': again(`${ofx}<MEMO`, ' '),
  'OFX: elements without a value': again(`${ofx}<STMTTRN>`, '<MEMO>'),
  'OFX: elements of statements': again(ofx, '<MEMO>a'),
  'MT940: zeros': again(`${mt940}:61:260101C`, '0'),
  'MT940: rows of zeros': again(mt940, `:61:260101C${'0'.repeat(15_000)}\n`),
  'MT940: parts of a text': again(mt940, `:61:260101C1,00NTRF\n:86:${'/NAME/'.repeat(2000)}\n`),
  'MT940: questions': again(mt940, `:61:260101C1,00NTRF\n:86:${'?20'.repeat(4000)}\n`),
  'MT940: lines of one field': again(`${mt940}:86:`, 'a\n'),
  'MT940: lines that may end a message': again(mt940, `:61:260101C1,00NTRF\n:86:A\n${'-\n:20:\n'.repeat(1000)}`),
  'MT940: rows that may be of several years': again(mt940, ':61:2412311231C1,00NTRF\n'),
  '1C: accounts': (size) => exchange + Array.from({ length: size / 20 }, (_, index) => `РасчСчет=${index}\n`).join(''),
  '1C: fields': (size) =>
    `${exchange}СекцияДокумент=A\n${Array.from({ length: size / 10 }, (_, index) => `A${index}=1\n`).join('')}`,
  '1C: spaces': again(`${exchange}Дата=`, ' '),
  'XLSX: attributes': (size) => book(`<row${attributes(Math.ceil(size / 8))}>`),
  'XLSX: rows of one cell far to the right': (size) =>
    book(header + '<row><c r="ALL1"><v>1</v></c></row>'.repeat(size / 36)),
  'XLSX: one attribute': (size) => book(`<row a="${'x'.repeat(size)}`),
  'XLSX: formats': (size) => book(`<row><c r="${'A'.repeat(size)}"/></row>`),
  'XLSX: styles of one long format': (size) =>
    styled(
      `<numFmt numFmtId="200" formatCode="${'0'.repeat(15_000)}"/><cellXfs>${'<xf numFmtId="200"/>'.repeat(size / 20)}`,
    ),
  'XLSX: a comment without an end': (size) => book(`<!--${'-'.repeat(size)}`),
  'XLSX: elements inside each other': (size) => book('<a>'.repeat(size / 3)),
}

/** Milliseconds of this process's own work: what others do on the machine does not count. */
const worked = (since?: NodeJS.CpuUsage): number => process.cpuUsage(since).user / 1000

/** Reads a file as it would be uploaded; says how long the work was, and the longest without a turn for others. */
const timesOf = async (content: string | Buffer): Promise<{ whole: number; longest: number; refused?: string }> => {
  const bytes = Buffer.from(content)
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < bytes.length; from += 64 * 1024) yield bytes.subarray(from, from + 64 * 1024)
  }
  const none = () => undefined
  const sink = { row: none, skip: none, balance: none, fault: none, flush: async () => undefined }
  const start = process.cpuUsage()
  let turn = process.cpuUsage()
  let longest = 0
  let isOver = false
  const look = (): void => {
    longest = Math.max(longest, worked(turn))
    turn = process.cpuUsage()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  let refused: string | undefined
  try {
    await readStatement(pieces(), null, sink)
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    refused = error.message
  }
  const whole = worked(start)
  isOver = true
  await new Promise(setImmediate)
  return { whole, longest, ...(refused === undefined ? {} : { refused }) }
}

const [small, large] = [300_000, 2_400_000]
/** How many times as long as for an ordinary file others may wait for their turn. */
const mostWithoutTurn = 8

describe('files made to be slow', () => {
  let ordinary = { whole: 0, longest: 0 }
  before(async () => (ordinary = await timesOf(csv + '01.01.2026;+1,00;A\n'.repeat(large / 19))))

  for (const [name, make] of Object.entries(kinds))
    test(`${name}: eight times the size is not 24 times the work, and others have their turn`, async () => {
      // The best of a few tries: garbage is collected at any time, and what is slow is slow each time.
      for (let tries = 1; ; tries++) {
        const [first, second] = [await timesOf(make(small)), await timesOf(make(large))]
        const isLinear = second.whole < Math.max(ordinary.whole, 24 * first.whole)
        if (isLinear && second.longest < mostWithoutTurn * ordinary.longest) return
        const { whole, longest } = second
        const times = `${first.whole} ms, then ${whole} ms, of which ${longest} ms without a turn`
        assert.ok(tries < 4, `${times}; an ordinary file: ${ordinary.whole} ms and ${ordinary.longest} ms`)
      }
    })

  for (const [what, file, reason] of [
    [
      'the cells of a line',
      `${csv}${';'.repeat(1000)}\n`,
      'Line 3: The line has more than 1000 cells, so it is not from a statement',
    ],
    [
      'the text of a cell',
      `${csv}01.01.2026;+1,00;${'a'.repeat(32_768)}\n`,
      'Line 3: Cell 3 is longer than 32767 characters, perhaps because a quotation mark does not end',
    ],
    [
      'the line of a CSV',
      `${csv}${'a'.repeat(70_000)}\n`,
      'Line 3: The row is not well-formed CSV in cell 1: it is far too long',
    ],
    [
      'a quotation mark after empty lines',
      `${csv}\n\n\n01.02.2026;"+1,00;A\n\n`,
      'Line 6: The row is not well-formed CSV in cell 2: a quotation mark begins the cell, and none ends it',
    ],
    [
      'the attributes of an element',
      camt(`<Ntry${attributes(201)}>`),
      'Line 1: An element has more than 200 attributes.',
    ],
    [
      'the value of an attribute',
      camt(`<Ntry a="${'a'.repeat(16_001)}">`),
      'Line 1: The attribute a is longer than 16000 characters.',
    ],
    ['the field of MT940', `${mt940}:86:${'a'.repeat(16_001)}\n`, 'Line 4: The field is longer than 16000 characters.'],
    [
      'the line of MT940',
      `${mt940}:86:${'a'.repeat(65_537)}\n`,
      'Line 4: The line is longer than 65536 characters, so it is not from',
    ],
    [
      'the levels of OFX',
      `${ofx}${'<PAYEE>'.repeat(64)}`,
      'Line 1: Elements are nested deeper than 64 levels, or do not end.',
    ],
    [
      'the accounts of 1C',
      exchange + Array.from({ length: 10_000 }, (_, index) => `РасчСчет=${index}\n`).join(''),
      'Line 10002: The file has more than 10000 accounts.',
    ],
    [
      'the attributes of a workbook',
      book(`<row${attributes(201)}>`),
      'Line 1: Sheet "A", line 1: An element has more than 200 attributes.',
    ],
    [
      'the levels of a workbook',
      book('<a>'.repeat(64)),
      'Line 1: Sheet "A", line 1: elements are nested deeper than 64 levels.',
    ],
    [
      'a comment of a workbook',
      book(`<!--${'a'.repeat(400_000)}`),
      'Line 1: Sheet "A", line 1: a text, tag or comment is far too long.',
    ],
    [
      'the relations of a workbook',
      book('', {
        'xl/_rels/workbook.xml.rels': `<Relationships>${Array.from({ length: 2001 }, (_, index) => `<Relationship Id="${index}"/>`).join('')}`,
      }),
      'Line 1: xl/_rels/workbook.xml.rels has more than 2000 relations.',
    ],
    [
      'the sheets of a workbook',
      book('', { 'xl/workbook.xml': `<workbook><sheets>${'<sheet name="A" r:id="r1"/>'.repeat(2001)}` }),
      'Line 1: xl/workbook.xml has more than 2000 sheets.',
    ],
    [
      'the styles of a workbook',
      styled(`<cellXfs>${'<xf/>'.repeat(65_537)}`),
      'Line 1: xl/styles.xml has more than 65536 formats or styles.',
    ],
    [
      'the formats of a workbook',
      styled(Array.from({ length: 65_537 }, (_, index) => `<numFmt numFmtId="${index}"/>`).join('')),
      'Line 1: xl/styles.xml has more than 65536 formats or styles.',
    ],
  ] as const)
    test(`${what}: a limit, and the refusal names it`, async () => {
      const { refused } = await timesOf(file)
      assert.equal(refused?.slice(0, reason.length), reason)
    })
})

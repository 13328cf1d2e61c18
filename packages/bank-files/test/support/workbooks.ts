// Excel workbooks for tests, with only what a reader needs.
import { crc32, deflateRawSync } from 'node:zlib'

/** A ZIP archive of texts. */
export const zipOf = (files: Readonly<Record<string, string>>): Buffer => {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text)
    const packed = deflateRawSync(data)
    const sizes = Buffer.alloc(12)
    sizes.writeUInt32LE(crc32(data), 0)
    sizes.writeUInt32LE(packed.length, 4)
    sizes.writeUInt32LE(data.length, 8)
    const nameLength = Buffer.from([name.length, 0, 0, 0])
    const method = Buffer.from([20, 0, 0, 0, 8, 0, 0, 0, 0, 0])
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), method, sizes, nameLength, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), method, sizes, nameLength, place, Buffer.from(name)]),
    )
    parts.push(local)
    offset += local.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(entries.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, entries, Buffer.from('PK\u0005\u0006'), end])
}

/** A cell: a text, a number, a day as Excel counts it, or a formula with its saved value. */
export type Cell = string | number | { readonly day: number } | { readonly formula: string; readonly value?: number }

const xml = (text: string): string => text.replace(/[<>&'"]/g, (character) => `&#${character.charCodeAt(0)};`)

const cellOf = (cell: Cell, reference: string): string => {
  if (cell === '') return ''
  if (typeof cell === 'string') return `<c r="${reference}" t="inlineStr"><is><t>${xml(cell)}</t></is></c>`
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`
  if ('day' in cell) return `<c r="${reference}" s="1"><v>${cell.day}</v></c>`
  return `<c r="${reference}"><f>${xml(cell.formula)}</f>${cell.value === undefined ? '' : `<v>${cell.value}</v>`}</c>`
}

/** A workbook with these sheets; each has its lines from the first one on. */
export const workbookOf = (
  sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>,
  more: Readonly<Record<string, string>> = {},
): Buffer => {
  const names = Object.keys(sheets)
  const sheetXml = (lines: readonly (readonly Cell[])[]): string =>
    `<worksheet><sheetData>${lines
      .map((cells, row) => {
        const texts = cells.map((cell, column) => cellOf(cell, `${String.fromCharCode(65 + column)}${row + 1}`))
        return cells.length === 0 ? '' : `<row r="${row + 1}">${texts.join('')}</row>`
      })
      .join('')}</sheetData></worksheet>`
  return zipOf({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels':
      '<Relationships><Relationship Id="r" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${names
      .map((name, index) => `<sheet name="${xml(name)}" sheetId="${index + 1}" r:id="r${index + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${names
      .map(
        (_, index) => `<Relationship Id="r${index + 1}" Type="x/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
      )
      .join(
        '',
      )}<Relationship Id="s" Type="x/styles" Target="/xl/styles.xml"/><Relationship Id="t" Type="x/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    ...Object.fromEntries(
      Object.values(sheets).map((lines, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(lines)]),
    ),
    ...more,
  })
}

import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { day } from '../booked.ts'
import { FileFault } from '../file-fault.ts'
import { tidyText } from '../texts.ts'
import { limitXml } from './element-reader.ts'
import { maxColumns } from '../tables/table-reader.ts'
import { ZipArchive } from './zip-archive.ts'

/** Most characters of all texts of a workbook, which are kept in memory. */
const maxCharacters = 32 * 1024 * 1024
/** Most cells of a sheet, counting empty ones before others. */
const maxCells = 50_000_000
/** Most relations of a part, and most sheets. */
const maxRelations = 2000
/** Most number formats, and most cell styles; Excel allows 65 490 styles. */
const maxStyles = 65_536
/** Longest text of a cell; Excel allows 32 767. */
const maxText = 64 * 1024
/** Longest run of characters without the end of a tag. */
const maxRun = 256 * 1024
/** Deepest nesting of elements; real workbooks have less than ten levels. */
const maxDepth = 64

export type Sheet = { readonly name: string; readonly path: string }

type SheetLine = { readonly cells: readonly string[]; readonly line: number }

type Attributes = Readonly<Record<string, string>>
type Listener = {
  readonly open?: (name: string, attributes: Attributes) => void
  readonly close?: (name: string, text: string) => void
}

const cure = 'Open the workbook in a spreadsheet program, and save the sheet of the statement as a new file.'

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** The text of a cell with its next run appended: a cell may consist of many, each with its own formatting. */
const joinRuns = (text: string, run: string, fail: (reason: string) => Error): string => {
  if (text.length + run.length > maxText) throw fail('has a cell whose text is far too long.')
  return text + run
}

/** The column index, from 0, of a reference such as `AB12`; `undefined` if it has no column. */
const columnOf = (reference: string | undefined): number | undefined => {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  return letters === undefined
    ? undefined
    : [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** The archive path of a target that a part in a folder refers to. */
const pathOf = (folder: string, target: string): string => {
  const path: string[] = []
  for (const name of (/^[\\/]/.test(target) ? target : folder + target).split(/[\\/]/)) {
    if (name === '..') path.pop()
    else if (name !== '' && name !== '.') path.push(name)
  }
  return path.join('/')
}

/** A parser for a part of a workbook; `close` gets the text directly before the end of an element. */
const newParser = (part: string, { open, close }: Listener) => {
  const parser = new SaxesParser({ xmlns: false, position: true })
  let text = ''
  let depth = 0
  /** Where the last tag ended. */
  let position = 0
  const fail = (reason: string) => new FileFault(1, `${part}, line ${parser.line}: ${reason} ${cure}`)
  parser.on('doctype', () => {
    throw fail('it declares a document type (DOCTYPE).')
  })
  parser.on('error', ({ message }) => {
    throw fail(`the XML is not well-formed: ${message.replace(/^\d+:\d+:\s*/, '')}`)
  })
  limitXml(parser, fail)
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    text = ''
    position = parser.position
    if (++depth > maxDepth) throw fail(`elements are nested deeper than ${maxDepth} levels.`)
    open?.(localName(name), attributes)
  })
  parser.on('text', (more) => {
    text += more
    if (text.length > maxText) throw fail('a text is far too long.')
  })
  parser.on('closetag', ({ name }) => {
    position = parser.position
    depth--
    close?.(localName(name), text)
    text = ''
  })
  return {
    write: (piece: string): void => {
      parser.write(piece)
      if (parser.position - position > maxRun) throw fail('a text, tag or comment is far too long.')
    },
    close: (): void => void parser.close(),
  }
}

/** An Excel workbook (XLSX). Its formulas are never computed. Throws a `FileFault`. */
export class Workbook {
  readonly #archive: ZipArchive
  #strings: string[] = []
  /** Whether the cells of each style are dates. */
  #dateStyles: boolean[] = []
  #is1904 = false
  #sheets: readonly Sheet[] = []

  constructor(bytes: Uint8Array) {
    this.#archive = new ZipArchive(bytes)
  }

  /** The visible sheets, in their order. */
  get sheets(): readonly Sheet[] {
    return this.#sheets
  }

  /** Reads the parts that all sheets share. */
  async open(): Promise<void> {
    const related = await this.#readRelations('')
    const path = [...related.values()].find(({ type }) => type === 'officeDocument')?.path ?? 'xl/workbook.xml'
    if (!this.#archive.has(path) || !/workbook/i.test(path))
      throw new FileFault(
        1,
        'The file is an archive and not an Excel workbook (xl/workbook.xml is missing): unpack it, and upload the statement in it.',
      )
    const parts = await this.#readRelations(path)
    const sheets: Sheet[] = []
    await this.#parse(path, {
      open: (name, attributes) => {
        if (name === 'workbookPr') this.#is1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '')
        if (name !== 'sheet' || (attributes['state'] ?? 'visible') !== 'visible') return
        const id = Object.entries(attributes).find(([key]) => /^.+:id$/.test(key))?.[1]
        const part = parts.get(id ?? '')
        if (sheets.length === maxRelations)
          throw new FileFault(1, `${path} has more than ${maxRelations} sheets. ${cure}`)
        if (part?.type === 'worksheet') sheets.push({ name: attributes['name'] ?? '', path: part.path })
      },
    })
    this.#sheets = sheets
    const find = (type: string): string => [...parts.values()].find((part) => part.type === type)?.path ?? ''
    await this.#readStyles(find('styles'))
    await this.#readStrings(find('sharedStrings'))
  }

  /** The non-empty lines of a sheet, in sets as they are read. */
  async *read({ name, path }: Sheet): AsyncGenerator<readonly SheetLine[]> {
    let lines: SheetLine[] = []
    let line = 0
    let cells: string[] = []
    let column = -1
    let count = 0
    let cell = { type: 'n', style: 0, value: '', formula: '' }
    const part = `Sheet "${name}"`
    const fail = (reason: string) => new FileFault(line, `${part} ${reason} ${cure}`)
    const parser = newParser(part, {
      open: (tag, attributes) => {
        if (tag === 'row') {
          const next = Number(attributes['r'] ?? line + 1)
          if (!Number.isSafeInteger(next) || next <= line) throw fail('has a row out of order.')
          line = next
          cells = []
          column = -1
        } else if (tag === 'c') {
          column = columnOf(attributes['r']) ?? column + 1
          cell = { type: attributes['t'] ?? 'n', style: Number(attributes['s'] ?? 0), value: '', formula: '' }
        }
      },
      close: (tag, text) => {
        if (tag === 'v') cell.value = text
        else if (tag === 't') cell.value = joinRuns(cell.value, text, fail)
        else if (tag === 'f') cell.formula = text
        else if (tag === 'c') {
          const isDate = this.#dateStyles[cell.style] === true
          const value = cellText({ ...cell, isDate }, this.#strings, this.#is1904)
          // A row that was coloured as a whole has a cell in each of the sheet's 16,384 columns.
          if (value === '') return
          if (column >= maxColumns) throw fail(`has more than ${maxColumns} columns.`)
          while (cells.length < column) cells.push('')
          cells[column] = value
        } else if (tag === 'row') {
          lines.push({ cells, line })
          count += cells.length
          if (count > maxCells) throw fail(`has more than ${maxCells} cells.`)
        }
      },
    })
    for await (const piece of this.#archive.read(path)) {
      parser.write(piece)
      const read = lines
      lines = []
      yield read
    }
    parser.close()
    yield lines
  }

  /** The relations of a part of the workbook, by their identifiers; the part '' is the archive itself. */
  async #readRelations(part: string): Promise<Map<string, { readonly type: string; readonly path: string }>> {
    const folder = part.slice(0, part.lastIndexOf('/') + 1)
    const path = `${folder}_rels/${part.slice(folder.length)}.rels`
    const found = new Map<string, { type: string; path: string }>()
    await this.#parse(path, {
      open: (name, { Id: id = '', Type: type = '', Target: target = '' }) => {
        if (name !== 'Relationship') return
        if (found.size === maxRelations)
          throw new FileFault(1, `${path} has more than ${maxRelations} relations. ${cure}`)
        found.set(id, { type: type.slice(type.lastIndexOf('/') + 1), path: pathOf(folder, target) })
      },
    })
    return found
  }

  async #readStyles(path: string): Promise<void> {
    /** Whether each format of the workbook's own shows dates. */
    const custom = new Map<number, boolean>()
    let isCell = false
    await this.#parse(path, {
      open: (name, attributes) => {
        const id = Number(attributes['numFmtId'] ?? 0)
        if (name === 'numFmt') custom.set(id, showsDate(id, attributes['formatCode'] ?? ''))
        if (name === 'cellXfs') isCell = true
        if (name === 'xf' && isCell) this.#dateStyles.push(custom.get(id) ?? showsDate(id, undefined))
        if (custom.size > maxStyles || this.#dateStyles.length > maxStyles)
          throw new FileFault(1, `${path} has more than ${maxStyles} formats or styles. ${cure}`)
      },
      close: (name) => {
        if (name === 'cellXfs') isCell = false
      },
    })
  }

  async #readStrings(path: string): Promise<void> {
    let string = ''
    let characters = 0
    let isPhonetic = false
    await this.#parse(path, {
      open: (name) => {
        if (name === 'si') string = ''
        if (name === 'rPh') isPhonetic = true
      },
      close: (name, text) => {
        if (name === 't' && !isPhonetic)
          string = joinRuns(string, text, (reason) => new FileFault(1, `${path} ${reason} ${cure}`))
        if (name === 'rPh') isPhonetic = false
        if (name !== 'si') return
        // An empty string takes memory, too.
        characters += string.length + 8
        if (characters > maxCharacters) throw new FileFault(1, `The workbook has more text than can be read. ${cure}`)
        this.#strings.push(string)
      },
    })
  }

  /** Parses a whole part, if the workbook has it. */
  async #parse(path: string, listener: Listener): Promise<void> {
    if (!this.#archive.has(path)) return
    const parser = newParser(path, listener)
    for await (const piece of this.#archive.read(path)) parser.write(piece)
    parser.close()
  }
}

// Excel's built-in formats for dates or times.
const isDateFormat = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** Whether a number format shows a date or time: it has date or time letters outside texts and conditions. */
const showsDate = (id: number, custom: string | undefined): boolean =>
  custom === undefined
    ? isDateFormat(id)
    : /[ymdhs]/i.test(custom.replace(/"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^[\]]*\]|General/gi, ''))

/** The date or time of an Excel serial number: days since the end of 1899, or since 1904. */
const readSerial = (serial: number, is1904: boolean): string => {
  const days = is1904 ? serial + 1462 : serial
  const time = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1000)
  const clock = time.toISOString().slice(11, 19)
  if (days < 1) return clock
  return `${time.toISOString().slice(0, 10)}${time.getTime() % day === 0 ? '' : ` ${clock}`}`
}

/** A number as text with a decimal point, exact to Excel's fifteen digits; never with three decimals. */
const readNumber = (value: number): string => {
  const text = String(Number(value.toPrecision(15)))
  if (!/^-?\d+\.\d+$/.test(text)) return text
  const [whole = '', decimals = ''] = text.split('.')
  // Three decimals would be taken for a group of thousands.
  return `${whole}.${decimals.length === 3 ? `${decimals}0` : decimals.padEnd(2, '0')}`
}

/** Decodes the characters that Excel writes as `_x000D_`. */
const unescaped = (text: string): string =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))

type StoredCell = {
  readonly type: string
  readonly value: string
  readonly formula: string
  /** Whether its number is shown as a date. */
  readonly isDate: boolean
}

/** The text of a cell. A formula is never computed: its saved value counts. */
const cellText = (
  { type, value, formula, isDate }: StoredCell,
  strings: readonly string[],
  is1904: boolean,
): string => {
  if (value === '' && formula !== '') return `=${tidyText(formula) ?? ''}`
  if (type === 's') return unescaped(strings[Number(value)] ?? '')
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type !== 'n' || value === '') return unescaped(value)
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  return isDate && number >= 0 && number < 2_958_466 ? readSerial(number, is1904) : readNumber(number)
}

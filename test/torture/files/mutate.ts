// Files of banks that were broken on the way: cut, turned, written over, or saved by another program.
import { oneOf, type Random } from '../../support/random.ts'
import { workbookOf } from '../../../packages/bank-files/test/support/workbooks.ts'
import { encode } from '../../support/statement-files.ts'

type Mutation = (bytes: Buffer, random: Random) => Buffer

const linesOf = (bytes: Buffer): string[] => bytes.toString('latin1').split(/(?<=\n)/)
const ofLines = (lines: readonly string[]): Buffer => Buffer.from(lines.join(''), 'latin1')
const inLines =
  (change: (lines: string[], at: number, random: Random) => void): Mutation =>
  (bytes, random) => {
    const lines = linesOf(bytes)
    change(lines, random(lines.length), random)
    return ofLines(lines)
  }

const spliced = (bytes: Buffer, at: number, removed: number, inserted: string): Buffer =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from(inserted), bytes.subarray(at + removed)])

/** What readers take for something, and what they do not expect. */
const pieces = [
  '"',
  ';',
  ',',
  '\t',
  '\n',
  '\r',
  '\0',
  '-',
  '+',
  '=1+1',
  '0',
  '00',
  '9'.repeat(40),
  '.',
  '<',
  '>',
  '&amp;',
]
const words = [
  ':62F:',
  ':20:',
  '</Stmt>',
  'КонецФайла',
  '<STMTTRN>',
  '\ufeff',
  '\u202e',
  'K',
  'D',
  '31.12.2025',
  '1 000,00',
]
const hugeLength = 70_000

const swapCells = (line: string, random: Random): string => {
  const delimiter = oneOf(random, [';', ',', '\t', '<', ':'])
  const cells = line.split(delimiter)
  const [one, other] = [random(cells.length), random(cells.length)]
  const moved = cells[one] ?? ''
  cells[one] = cells[other] ?? ''
  cells[other] = moved
  return cells.join(delimiter)
}

const mutations: Readonly<Record<string, Mutation>> = {
  'a byte': (bytes, random) => {
    const changed = Buffer.from(bytes)
    if (changed.length > 0) changed[random(changed.length)] = random(256)
    return changed
  },
  'a bit of several bytes': (bytes, random) => {
    const changed = Buffer.from(bytes)
    for (let count = 1 + random(8); count > 0 && changed.length > 0; count--) {
      const at = random(changed.length)
      changed[at] = (changed[at] ?? 0) ^ (1 << random(8))
    }
    return changed
  },
  'the end': (bytes, random) => bytes.subarray(0, random(bytes.length + 1)),
  'the beginning': (bytes, random) => bytes.subarray(random(Math.min(200, bytes.length + 1))),
  'a digit': (bytes, random) => {
    const changed = Buffer.from(bytes)
    const digits = [...changed.keys()].filter((at) => (changed[at] ?? 0) >= 0x30 && (changed[at] ?? 0) <= 0x39)
    if (digits.length > 0) changed[oneOf(random, digits)] = 0x30 + random(10)
    return changed
  },
  'a piece': (bytes, random) =>
    spliced(bytes, random(bytes.length + 1), random(3), oneOf(random, random(2) === 0 ? pieces : words)),
  'a line twice': inLines((lines, at) => void lines.splice(at, 0, lines[at] ?? '')),
  'no line': inLines((lines, at) => void lines.splice(at, 1)),
  'lines in another order': inLines((lines, at, random) => {
    const [line = ''] = lines.splice(at, 1)
    lines.splice(random(lines.length + 1), 0, line)
  }),
  'two columns of a line': inLines((lines, at, random) => void (lines[at] = swapCells(lines[at] ?? '', random))),
  'two columns': (bytes, random) => {
    const seed = random(1_000_000)
    // The same columns in all lines.
    return ofLines(linesOf(bytes).map((line) => swapCells(line, (below) => (seed * 7919) % Math.max(1, below))))
  },
  'a huge cell': inLines((lines, at, random) => {
    const line = lines[at] ?? ''
    const place = random(line.length + 1)
    lines[at] = line.slice(0, place) + oneOf(random, ['x', '9', ' ', 'A B ']).repeat(hugeLength / 2) + line.slice(place)
  }),
  'many lines': inLines((lines, at) => void lines.splice(at, 0, ...Array.from({ length: 300 }, () => lines[at] ?? ''))),
  'twice the file': (bytes) => Buffer.concat([bytes, bytes]),
  'other ends of lines': (bytes, random) =>
    Buffer.from(bytes.toString('latin1').replace(/\r?\n/g, oneOf(random, ['\n', '\r', '\r\n', '\n\n'])), 'latin1'),
  'another character set': (bytes, random) => {
    const text = bytes.toString('utf8')
    const charset = oneOf(random, ['windows-1251', 'ibm866', 'utf16le', 'latin1', 'bom'])
    if (charset === 'utf16le') return Buffer.from(`\ufeff${text}`, 'utf16le')
    if (charset === 'bom') return Buffer.from(`\ufeff${text}`)
    if (charset === 'latin1') return Buffer.from(text, 'latin1')
    return Buffer.from(encode(text, charset as 'windows-1251' | 'ibm866').map((code) => code & 0xff))
  },
  'a workbook of it': (bytes) => {
    const rows = bytes
      .toString('utf8')
      .split(/\r?\n/)
      .slice(0, 200)
      .map((line) => line.replaceAll('\0', '').split(/[;\t]/).slice(0, 20))
    return workbookOf({ Sheet: rows })
  },
}

/** A file after one to three mutations, and their names. */
export const mutate = (bytes: Buffer, random: Random): { readonly content: Buffer; readonly how: string } => {
  let content = bytes
  const how: string[] = []
  for (let count = 1 + random(3); count > 0; count--) {
    const name = oneOf(random, Object.keys(mutations))
    how.push(name)
    content = mutations[name]?.(content, random) ?? content
  }
  return { content, how: how.join(', ') }
}

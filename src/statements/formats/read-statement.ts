import { type CsvMapping, guessCsvMapping } from '../../domain/csv-mapping.ts'
import {
  refuseLine,
  refuseStatement,
  type StatementCharset,
  type StatementFormat,
  type StatementParser,
  type StatementSink,
} from '../../domain/statement.ts'
import { parse1c } from './parse-1c.ts'
import { parseCamt } from './parse-camt.ts'
import { parseCsv } from './parse-csv.ts'
import { parseMt940 } from './parse-mt940.ts'

/** What a file was found to be. */
export type StatementShape = {
  readonly format: StatementFormat
  readonly charset: StatementCharset
  /** How its columns are read, for CSV. */
  readonly mapping: CsvMapping | null
  /** Kind of the report, such as `camt.053`: rows of one kind are told alike. */
  readonly report: string
}

/** So much of a file tells its format. */
const headBytes = 64 * 1024
/** Pieces that are given to a parser at once. */
const pieceBytes = 64 * 1024

const decode = (bytes: Uint8Array, charset: StatementCharset): string | undefined => {
  try {
    // The head may end inside a character.
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

const lowerCyrillic = /[а-яё]/g
const count = (text: string | undefined): number => text?.match(lowerCyrillic)?.length ?? 0

/** The character set of a head: UTF-8 where it is valid, else the one of the two old ones in which it reads as Russian. */
const guessCharset = (head: Uint8Array): StatementCharset => {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  if (decode(head, 'utf-8') !== undefined) return 'utf-8'
  return count(decode(head, 'ibm866')) > count(decode(head, 'windows-1251')) ? 'ibm866' : 'windows-1251'
}

const xmlCharsets: Readonly<Record<string, StatementCharset>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  'windows-1251': 'windows-1251',
  cp1251: 'windows-1251',
  ibm866: 'ibm866',
  cp866: 'ibm866',
  'iso-8859-1': 'iso-8859-1',
  'windows-1252': 'iso-8859-1',
  'utf-16': 'utf-16le',
}

const xmlCharset = (head: Uint8Array, guessed: StatementCharset): StatementCharset => {
  if (guessed.startsWith('utf-16')) return guessed
  const declared = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(decode(head, 'iso-8859-1') ?? '')?.[1]
  if (declared === undefined) return 'utf-8'
  const charset = xmlCharsets[declared.toLowerCase()]
  if (charset === undefined) throw refuseLine(1, `The character set ${declared} is not one that is read.`)
  return charset
}

const otherFiles: readonly (readonly [start: string, what: string])[] = [
  ['PK', 'a ZIP archive or an Excel workbook: export the statement as CSV, or unpack it'],
  ['%PDF', 'a PDF: ask the bank for camt.053, 1C, MT940 or CSV'],
  ['\xd0\xcf\x11\xe0', 'an old Office document: export the statement as CSV'],
  ['\x1f\x8b', 'a gzip archive: unpack it'],
]

const detect = (head: Uint8Array, wanted: CsvMapping | null): Omit<StatementShape, 'report'> => {
  if (head.length === 0) throw refuseLine(1, 'The file is empty.')
  const bytes = decode(head.subarray(0, 64), 'iso-8859-1') ?? ''
  const other = otherFiles.find(([start]) => bytes.startsWith(start))
  if (other) throw refuseLine(1, `The file is ${other[1]}.`)
  const guessed = guessCharset(head)
  const text = decode(head, guessed) ?? ''
  if (!guessed.startsWith('utf-16') && head.includes(0)) throw refuseLine(1, 'The file is no text.')
  if (/^\s*</.test(text)) return { format: 'camt', charset: xmlCharset(head, guessed), mapping: null }
  if (/^\s*1CClientBankExchange/.test(text)) return { format: '1c', charset: guessed, mapping: null }
  if (/^(?:\{4:)?\s*:20:/m.test(text)) return { format: 'mt940', charset: guessed, mapping: null }
  if (wanted) return { format: 'csv', charset: wanted.charset, mapping: wanted }
  const mapping = guessCsvMapping(text, guessed)
  if ('reason' in mapping) throw refuseStatement([mapping])
  return { format: 'csv', charset: guessed, mapping }
}

// The columns are part of it: what a file leaves out cannot tell its rows from others.
const reportOf = ({ format, mapping }: Omit<StatementShape, 'report'>, head: string): string => {
  if (format === 'camt') return /camt\.05[234]/.exec(head)?.[0] ?? format
  return mapping === null ? format : `csv ${Object.values(mapping.columns).toSorted().join(', ')}`
}

const open = (shape: StatementShape, sink: StatementSink): StatementParser => {
  if (shape.mapping) return parseCsv(sink, shape.mapping)
  if (shape.format === 'camt') return parseCamt(sink)
  return shape.format === '1c' ? parse1c(sink) : parseMt940(sink)
}

/** How many lines of a piece end before its first character that cannot be read. */
const linesBeforeFault = (piece: Uint8Array, charset: StatementCharset = 'utf-8'): number => {
  // At its beginning may be the end of a character of the piece before.
  const text = new TextDecoder(charset).decode(piece)
  const at = text.indexOf('\ufffd', 4)
  return at < 0 ? 0 : (text.slice(0, at).match(/\n/g)?.length ?? 0)
}

const concatenate = (parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/**
 * Reads a bank statement that comes in pieces, its format told by its content; rows and balances go to the sink, which
 * hears first what the file is (`begin`) and has time to put them away (`flush`) after each piece. Whatever its size, no more than a piece of it is in memory.
 * Refuses `statement_refused` where it cannot be read on, with the line.
 */
export const readStatement = async (
  pieces: AsyncIterable<Uint8Array>,
  wanted: CsvMapping | null,
  sink: StatementSink & { begin?(shape: StatementShape): void; flush(): Promise<void> },
): Promise<StatementShape> => {
  let head: Uint8Array[] = []
  let headLength = 0
  let shape: StatementShape | undefined
  let parser: StatementParser | undefined
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let lines = 1

  const feed = async (bytes: Uint8Array, isLast: boolean): Promise<void> => {
    for (let from = 0; from < bytes.length || (isLast && from === 0); from += pieceBytes) {
      const piece = bytes.subarray(from, from + pieceBytes)
      let text: string
      try {
        text = decoder?.decode(piece, { stream: !isLast || from + pieceBytes < bytes.length }) ?? ''
      } catch {
        const line = lines + linesBeforeFault(piece, shape?.charset)
        throw refuseLine(line, `There is a character that is none of ${shape?.charset}.`)
      }
      parser?.write(text)
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
      await sink.flush()
    }
  }
  const start = (): Uint8Array => {
    const bytes = concatenate(head)
    head = []
    const found = detect(bytes.subarray(0, headBytes), wanted)
    shape = { ...found, report: reportOf(found, decode(bytes.subarray(0, headBytes), 'iso-8859-1') ?? '') }
    sink.begin?.(shape)
    parser = open(shape, sink)
    decoder = new TextDecoder(shape.charset, { fatal: true })
    return bytes
  }

  for await (const piece of pieces) {
    if (parser) await feed(piece, false)
    else {
      head.push(piece)
      headLength += piece.length
      if (headLength >= headBytes) await feed(start(), false)
    }
  }
  await feed(parser ? new Uint8Array() : start(), true)
  await parser?.end()
  await sink.flush()
  if (!shape) throw new Error('a statement was read without its format')
  return shape
}

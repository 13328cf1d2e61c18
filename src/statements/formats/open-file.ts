import type { GivenMapping } from '../../domain/csv-mapping.ts'
import { refuseLine, type StatementCharset } from '../../domain/statement.ts'
import { formatList, type StatementFormat, statementFormats } from '../../domain/statement-format.ts'
import type { FileHead, OpenFormat } from '../../domain/statement-format.ts'
import { formats } from './formats.ts'

/** Files that people upload by mistake, by their first bytes. */
const otherFiles: readonly (readonly [start: string, reason: string])[] = [
  ['PK', 'a ZIP archive or an Excel workbook: export the statement as CSV, or unpack it'],
  ['%PDF', `a PDF: ask the bank for one of ${formatList}`],
  ['\xd0\xcf\x11\xe0', 'an old Office document: export the statement as CSV'],
  ['\x1f\x8b', 'a gzip archive: unpack it'],
]

const decode = (bytes: Uint8Array, charset: StatementCharset): string | undefined => {
  try {
    // The head may end inside a character.
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

const countRussian = (text: string | undefined): number => text?.match(/[а-яё]/g)?.length ?? 0

/** The character set of a head: UTF-8 where it is valid, else the one of the two old ones in which it reads as Russian. */
const guessCharset = (head: Uint8Array): StatementCharset => {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  if (decode(head, 'utf-8') !== undefined) return 'utf-8'
  const isDos = countRussian(decode(head, 'ibm866')) > countRussian(decode(head, 'windows-1251'))
  return isDos ? 'ibm866' : 'windows-1251'
}

const readHead = (bytes: Uint8Array): FileHead => {
  if (bytes.length === 0) throw refuseLine(1, 'The file is empty.')
  const start = decode(bytes.subarray(0, 64), 'iso-8859-1') ?? ''
  const other = otherFiles.find(([begins]) => start.startsWith(begins))
  if (other) throw refuseLine(1, `The file is ${other[1]}.`)
  const charset = guessCharset(bytes)
  if (!charset.startsWith('utf-16') && bytes.includes(0)) throw refuseLine(1, 'The file is not a text.')
  return { bytes, charset, text: decode(bytes, charset) ?? '' }
}

/**
 * Recognises the format of a file by its first bytes and finds out how it is read, with what the operator
 * says about it. Refuses `statement_refused`.
 */
export const openFile = (bytes: Uint8Array, given: GivenMapping): OpenFormat & { readonly format: StatementFormat } => {
  const head = readHead(bytes)
  const format = statementFormats.find((each) => formats[each].detects(head))
  if (format === undefined) throw refuseLine(1, `The file is not in a known format: ${formatList}.`)
  return { ...formats[format].open(head, given), format }
}

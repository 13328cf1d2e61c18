import type { GivenMapping } from '../../domain/csv-mapping.ts'
import { refuseLine } from '../../domain/statement.ts'
import { formatList, type StatementFormat, statementFormats } from '../../domain/statement-format.ts'
import type { FileHead, OpenFormat } from '../../domain/statement-format.ts'
import { formats } from './formats.ts'
import { decode, guessCharset } from './guess-charset.ts'

/** Files that people upload by mistake, by their first bytes. */
const otherFiles: readonly (readonly [start: string, reason: string])[] = [
  ['PK', 'a ZIP archive or an Excel workbook: export the statement as CSV, or unpack it'],
  ['%PDF', `a PDF: ask the bank for one of ${formatList}`],
  ['\xd0\xcf\x11\xe0', 'an old Office document: export the statement as CSV'],
  ['\x1f\x8b', 'a gzip archive: unpack it'],
]

const readHead = (bytes: Uint8Array, given: GivenMapping): FileHead => {
  if (bytes.length === 0) throw refuseLine(1, 'The file is empty.')
  const start = decode(bytes.subarray(0, 64), 'iso-8859-1') ?? ''
  const other = otherFiles.find(([begins]) => start.startsWith(begins))
  if (other) throw refuseLine(1, `The file is ${other[1]}.`)
  const charset = given.charset ?? guessCharset(bytes)
  if (!charset.startsWith('utf-16') && bytes.includes(0))
    throw refuseLine(1, `The file is not a text: its byte ${bytes.indexOf(0) + 1} is zero.`)
  return { bytes, charset, text: decode(bytes, charset) ?? '' }
}

/**
 * Recognises the format of a file by its first bytes and finds out how it is read, with what the operator
 * says about it. Refuses `statement_refused`.
 */
export const openFile = (bytes: Uint8Array, given: GivenMapping): OpenFormat & { readonly format: StatementFormat } => {
  const head = readHead(bytes, given)
  const format = statementFormats.find((each) => formats[each].detects(head))
  if (format === undefined) throw refuseLine(1, `The file is not in a known format: ${formatList}.`)
  return { ...formats[format].open(head, given), format }
}

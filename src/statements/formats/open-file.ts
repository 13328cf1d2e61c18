import type { GivenMapping } from '../../domain/csv-mapping.ts'
import { refuseLine } from '../../domain/statement.ts'
import { formatList, type StatementFormat, statementFormats } from '../../domain/statement-format.ts'
import type { BinaryFormat, FileHead, OpenFormat } from '../../domain/statement-format.ts'
import { formats } from './formats.ts'
import { decode, guessCharset } from './guess-charset.ts'

/** Files that people upload by mistake, by their first bytes. */
const otherFiles: readonly (readonly [start: string, reason: string])[] = [
  ['PK', 'a ZIP archive: unpack it'],
  ['%PDF', `a PDF: ask the bank for one of ${formatList}`],
  ['\xd0\xcf\x11\xe0', 'an Excel workbook of the old form (XLS), or one with a password: save it as XLSX or CSV'],
  ['<html', 'a web page (HTML), whatever its name is: open it in a spreadsheet and save it as XLSX'],
  ['<table', 'a web page (HTML), whatever its name is: open it in a spreadsheet and save it as XLSX'],
  ['\x1f\x8b', 'a gzip archive: unpack it'],
]

const readHead = (bytes: Uint8Array, given: GivenMapping): FileHead => {
  const start = decode(bytes.subarray(0, 64), 'iso-8859-1') ?? ''
  const other = otherFiles.find(
    ([begins]) => start.startsWith(begins) || start.trimStart().toLowerCase().startsWith(begins),
  )
  if (other) throw refuseLine(1, `The file is ${other[1]}.`)
  const charset = given.charset ?? guessCharset(bytes)
  if (!charset.startsWith('utf-16') && bytes.includes(0))
    throw refuseLine(1, `The file is not a text: its byte ${bytes.indexOf(0) + 1} is zero.`)
  return { bytes, charset, text: decode(bytes, charset) ?? '' }
}

/** A file of text that is opened, or one that must be in memory as a whole before it can be. */
type Opened =
  | (OpenFormat & { readonly format: StatementFormat })
  | { readonly format: StatementFormat; readonly openWhole: BinaryFormat['openWhole'] }

/**
 * Recognises the format of a file by its first bytes and finds out how it is read, with what the operator
 * says about it. Refuses `statement_refused`.
 */
export const openFile = (bytes: Uint8Array, given: GivenMapping): Opened => {
  if (bytes.length === 0) throw refuseLine(1, 'The file is empty.')
  const raw: FileHead = { bytes, charset: 'iso-8859-1', text: decode(bytes.subarray(0, 256), 'iso-8859-1') ?? '' }
  for (const format of statementFormats) {
    const found = formats[format]
    if ('openWhole' in found && found.detects(raw)) return { format, openWhole: found.openWhole }
  }
  const head = readHead(bytes, given)
  for (const format of statementFormats) {
    const found = formats[format]
    if ('open' in found && found.detects(head)) return { ...found.open(head, given), format }
  }
  throw refuseLine(1, `The file is not in a known format: ${formatList}.`)
}

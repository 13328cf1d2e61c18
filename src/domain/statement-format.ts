import type { CsvMapping, GivenMapping } from './csv-mapping.ts'
import type { StatementCharset, StatementParser, StatementSink } from './statement.ts'

/** Formats of bank statements, as people know them. A file is of the first one that recognises it. */
export const formatLabels = {
  ofx: 'OFX/QFX',
  camt: 'camt.052–054',
  '1c': '1CClientBankExchange',
  mt940: 'MT940/MT942',
  xlsx: 'XLSX',
  csv: 'CSV',
} as const
/** A format of bank statements. */
export type StatementFormat = keyof typeof formatLabels
/** All of them. */
export const statementFormats = Object.keys(formatLabels) as readonly StatementFormat[]
/** All of them in one text for people. */
export const formatList = Object.values(formatLabels).join(', ')

/** The beginning of a file, by which its format is recognised. */
export type FileHead = {
  readonly bytes: Uint8Array
  readonly text: string
  /** The character set that the bytes look like, and by which `text` was read. */
  readonly charset: StatementCharset
}

/** How one file is read. */
export type OpenFormat = {
  readonly charset: StatementCharset
  /** How its columns are read, for CSV. */
  readonly mapping: CsvMapping | null
  /** The kind of file as a channel of reports, such as `camt.053`: files of one kind report a transfer alike. */
  readonly channel: string
  readonly parser: (sink: StatementSink) => StatementParser
}

/** How one file is read that must be in memory as a whole. */
export type WholeFormat = Pick<OpenFormat, 'mapping' | 'channel'> & {
  /** Gives the rows to the sink; `flush` lets it put them away. */
  readonly read: (sink: StatementSink, flush: () => Promise<void>) => Promise<void>
}

/** Everything that depends on a format of text; see `formats`. */
export type TextFormat = {
  /** Whether a file that begins like this is of the format. */
  detects(head: FileHead): boolean
  /** Finds out how the file is read, with what the operator says about it. Refuses `statement_refused`. */
  open(head: FileHead, given: GivenMapping): OpenFormat
}

/** The same of a format that is not text: `detects` gets the bytes as if they were ISO 8859-1. */
export type BinaryFormat = {
  detects(head: FileHead): boolean
  readonly openWhole: (bytes: Uint8Array, given: GivenMapping) => Promise<WholeFormat>
}

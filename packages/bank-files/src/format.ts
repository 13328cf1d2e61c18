import type { CsvMapping, GivenMapping } from './tables/csv-mapping.ts'
import type { StatementCharset, StatementParser, StatementSink } from './statement.ts'

/** The format of a file is recognised by this many bytes. */
export const headBytes = 64 * 1024

/** The beginning of a file, by which its format is recognised. */
export type FileHead = {
  readonly bytes: Uint8Array
  readonly text: string
  /** The character set that the bytes seem to have, by which `text` was decoded. */
  readonly charset: StatementCharset
}

/** How one file is read. */
export type OpenFormat = {
  readonly charset: StatementCharset
  /** How its columns are read, for CSV. */
  readonly mapping: CsvMapping | null
  /**
   * The kind of file as a channel of reports, such as `camt.053`: files of one kind report a transfer in the same way.
   */
  readonly channel: string
  readonly parser: (sink: StatementSink) => StatementParser
}

/** How to read a file that must be in memory as a whole. */
export type WholeFormat = Pick<OpenFormat, 'mapping' | 'channel'> & {
  /** Gives the rows to the sink; `flush` lets it store them. */
  readonly read: (sink: StatementSink, flush: () => Promise<void>) => Promise<void>
}

/** Everything that differs by text format. */
export type TextFormat = {
  /** Whether a file that begins like this has the format. */
  detects(head: FileHead): boolean
  /** Decides how the file is read, using what the caller says about it. Throws a `FileFault`. */
  open(head: FileHead, given: GivenMapping): OpenFormat
}

/** The same for a format that is not text: `detects` gets the bytes decoded as ISO 8859-1. */
export type BinaryFormat = {
  detects(head: FileHead): boolean
  readonly openWhole: (bytes: Uint8Array, given: GivenMapping) => Promise<WholeFormat>
}

/** What the file of a format exports. */
export type FormatFile = { readonly format: TextFormat | BinaryFormat }

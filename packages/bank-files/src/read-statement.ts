import type { CsvMapping, GivenMapping } from './tables/csv-mapping.ts'
import { type BinaryFormat, type FileHead, headBytes, type OpenFormat } from './format.ts'
import { formatList, formats, type StatementFormat, statementFormats } from './formats.ts'
import { FileFault } from './file-fault.ts'
import type { StatementCharset, StatementParser, StatementSink } from './statement.ts'
import { decode, guessCharset } from './guess-charset.ts'
import { heldWhileOneTime } from './held-while-one-time.ts'
import { letOthersRun } from './formats/zip-archive.ts'

/** What a file was recognised as. */
export type StatementShape = {
  readonly format: StatementFormat
  /** The character set of its text; `null` if the format has none of its own. */
  readonly charset: StatementCharset | null
  /** How its columns are read, for CSV. */
  readonly mapping: CsvMapping | null
  /** The kind of file as a channel of reports, such as `camt.053`. */
  readonly channel: string
}

/** Receives what is read from a file. */
export type FileSink = StatementSink & {
  /** Called with the shape of the file, before its rows. */
  begin?(shape: StatementShape): void
  /** Lets the sink store the rows of a piece. */
  flush(): Promise<void>
}

/** Bytes that a parser gets at a time. */
const pieceBytes = 64 * 1024

/** Largest file that must be in memory as a whole, in bytes. */
const maxWholeBytes = 32 * 1024 * 1024

/** How many lines of a piece end before its first invalid character. */
const linesBeforeFault = (piece: Uint8Array, charset: StatementCharset): number => {
  // It may begin with the end of a character of the piece before.
  const text = new TextDecoder(charset).decode(piece)
  const at = text.indexOf('\ufffd', 4)
  return at < 0 ? 0 : (text.slice(0, at).match(/\n/g)?.length ?? 0)
}

/** A file that is being read. */
type OpenedFile = { write(bytes: Uint8Array): Promise<void>; end(): Promise<StatementShape> }

/** Collects the bytes of a file until it is complete. */
class WholeFile implements OpenedFile {
  readonly #pieces: Uint8Array[] = []
  readonly #read: (bytes: Uint8Array) => Promise<StatementShape>
  #length = 0

  constructor(read: (bytes: Uint8Array) => Promise<StatementShape>) {
    this.#read = read
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#length += bytes.length
    if (this.#length > maxWholeBytes)
      throw new FileFault(1, `The workbook is larger than ${maxWholeBytes / 1024 / 1024} MB: save it as CSV.`)
    this.#pieces.push(bytes)
  }

  end(): Promise<StatementShape> {
    return this.#read(Buffer.concat(this.#pieces.splice(0)))
  }
}

/** Decodes the bytes of a file for its parser, and refuses bytes that are invalid in its character set. */
class FileText implements OpenedFile {
  readonly #shape: StatementShape & { readonly charset: StatementCharset }
  readonly #parser: StatementParser
  readonly #sink: FileSink
  readonly #held: ReturnType<typeof heldWhileOneTime>
  readonly #decoder: InstanceType<typeof TextDecoder>
  #line = 1

  constructor(
    shape: StatementShape & { readonly charset: StatementCharset },
    parser: (sink: StatementSink) => StatementParser,
    sink: FileSink,
  ) {
    this.#shape = shape
    this.#held = heldWhileOneTime(sink)
    this.#parser = parser(this.#held)
    this.#sink = sink
    this.#decoder = new TextDecoder(shape.charset, { fatal: true })
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; from += pieceBytes)
      await this.#writePiece(bytes.subarray(from, from + pieceBytes), false)
  }

  async end(): Promise<StatementShape> {
    await this.#writePiece(new Uint8Array(), true)
    await this.#parser.end()
    this.#held.end()
    await this.#sink.flush()
    return this.#shape
  }

  async #writePiece(piece: Uint8Array, isLast: boolean): Promise<void> {
    const text = this.#decode(piece, isLast)
    this.#parser.write(text)
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#line++
    await this.#sink.flush()
    await letOthersRun()
  }

  #decode(piece: Uint8Array, isLast: boolean): string {
    const { charset } = this.#shape
    try {
      return this.#decoder.decode(piece, { stream: !isLast })
    } catch {
      throw new FileFault(
        this.#line + linesBeforeFault(piece, charset),
        `There is a character that is not in ${charset}: choose the character set of the file.`,
      )
    }
  }
}

/**
 * Reads a bank statement that arrives in pieces; recognises its format by its content. For text formats only one piece
 * is in memory, whatever the size. Throws a `FileFault`, with the line where reading stopped.
 */
export const readStatement = async (
  pieces: AsyncIterable<Uint8Array>,
  given: GivenMapping | null,
  sink: FileSink,
): Promise<StatementShape> => {
  const head: Uint8Array[] = []
  let file: OpenedFile | undefined
  const openKind = async (bytes: Uint8Array): Promise<OpenedFile> => {
    const found = await openFile(bytes, given ?? {})
    if ('openWhole' in found) {
      const { format, openWhole } = found
      return new WholeFile(async (whole) => {
        const { read, ...rest } = await openWhole(whole, given ?? {})
        const shape = { ...rest, format, charset: null }
        sink.begin?.(shape)
        const held = heldWhileOneTime(sink)
        await read(held, () => sink.flush())
        held.end()
        await sink.flush()
        return shape
      })
    }
    const { parser, ...shape } = found
    sink.begin?.(shape)
    return new FileText(shape, parser, sink)
  }
  const open = async (): Promise<OpenedFile> => {
    const bytes = Buffer.concat(head.splice(0))
    const opened = await openKind(bytes.subarray(0, headBytes))
    await opened.write(bytes)
    return opened
  }
  let headLength = 0
  for await (const piece of pieces) {
    if (file) await file.write(piece)
    else {
      head.push(piece)
      headLength += piece.length
      if (headLength >= headBytes) file = await open()
    }
  }
  file ??= await open()
  return file.end()
}

const webPage =
  'a web page (HTML), whatever its name is: if it shows the statement, open it in a spreadsheet and save it as XLSX; if it asks to sign in, download the file again'

/** Files that people upload by mistake, by their first bytes. */
const otherFiles: readonly (readonly [start: string, reason: string])[] = [
  ['PK', 'a ZIP archive: unpack it, and upload the statement in it'],
  ['%PDF', `a PDF: ask the bank for one of ${formatList}`],
  [
    '\xd0\xcf\x11\xe0',
    'an Excel workbook in the old format (XLS), or one with a password: open it, and save it as XLSX or CSV',
  ],
  ...['<!doctype html', '<html', '<table'].map((start) => [start, webPage] as const),
  ['\x1f\x8b', 'a gzip archive: unpack it, and upload the statement in it'],
]

const readHead = (bytes: Uint8Array, given: GivenMapping): FileHead => {
  const start = decode(bytes.subarray(0, 64), 'iso-8859-1') ?? ''
  const other = otherFiles.find(
    ([begins]) => start.startsWith(begins) || start.trimStart().toLowerCase().startsWith(begins),
  )
  if (other) throw new FileFault(1, `The file is ${other[1]}.`)
  const charset = given.charset ?? guessCharset(bytes)
  if (!charset.startsWith('utf-16') && bytes.includes(0))
    throw new FileFault(
      1,
      `The file is not a text file: its byte ${bytes.indexOf(0) + 1} is zero. Choose another one, in one of these formats: ${formatList}.`,
    )
  return { bytes, charset, text: decode(bytes, charset) ?? '' }
}

/** An opened text file, or one that must be in memory as a whole first. */
type Opened =
  | (OpenFormat & { readonly format: StatementFormat })
  | { readonly format: StatementFormat; readonly openWhole: BinaryFormat['openWhole'] }

/**
 * Recognises the format of a file by its first bytes, and decides how to read it, using what the caller says about it.
 * Throws a `FileFault`.
 */
const openFile = async (bytes: Uint8Array, given: GivenMapping): Promise<Opened> => {
  if (bytes.length === 0) throw new FileFault(1, 'The file is empty: get it from the bank again.')
  const files = await Promise.all(
    statementFormats.map(async (format) => ({ format, file: (await formats[format].load()).format })),
  )
  const raw: FileHead = { bytes, charset: 'iso-8859-1', text: decode(bytes.subarray(0, 256), 'iso-8859-1') ?? '' }
  for (const { format, file } of files)
    if ('openWhole' in file && file.detects(raw)) return { format, openWhole: file.openWhole }
  const head = readHead(bytes, given)
  for (const { format, file } of files)
    if ('open' in file && file.detects(head)) return { ...file.open(head, given), format }
  throw new FileFault(
    1,
    `The file is not in a known format. Choose another one, in one of these formats: ${formatList}.`,
  )
}

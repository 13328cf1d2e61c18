import { FileFault } from '../file-fault.ts'

/** Most files per archive. */
const maxFiles = 10_000
/**
 * Most unpacked bytes of one file, and of everything read, counting repeated reads; a file is never unpacked beyond its
 * declared size.
 */
const defaultLimits = { file: 256 * 1024 * 1024, total: 640 * 1024 * 1024 }

/** Bytes returned at a time from a file that is stored uncompressed. */
const pieceBytes = 64 * 1024

type Entry = { readonly method: number; readonly packed: number; readonly size: number; readonly offset: number }

/** The refusal of an archive that cannot be read at a byte. */
export type RefuseArchive = (byte: number, reason: string) => FileFault

const refuseWorkbook: RefuseArchive = (byte, reason) =>
  new FileFault(
    1,
    `The workbook cannot be read at byte ${byte + 1}: ${reason}. Open it in a spreadsheet program, and save it as XLSX or CSV.`,
  )

/** A name in UTF-8, or in that of DOS, which Windows writes for Russian names. */
const decodeName = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\0', '')
  } catch {
    return new TextDecoder('ibm866').decode(bytes).replaceAll('\0', '')
  }
}

/** The offset of the record that ends the archive's directory, which is the last of a complete archive. */
const findEnd = (bytes: Uint8Array, view: DataView, refuse: RefuseArchive): number => {
  const first = Math.max(0, bytes.length - 22 - 0xffff)
  for (let at = bytes.length - 22; at >= first; at--) if (view.getUint32(at, true) === 0x06054b50) return at
  throw refuse(bytes.length, 'it is cut off, or damaged')
}

/** A ZIP archive in memory, whose files are unpacked piece by piece. Throws a `FileFault`. */
export class ZipArchive {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #entries = new Map<string, Entry>()
  readonly #limits: typeof defaultLimits
  readonly #refuse: RefuseArchive
  #unpacked = 0

  constructor(bytes: Uint8Array, limits = defaultLimits, refuse = refuseWorkbook) {
    this.#limits = limits
    this.#refuse = refuse
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const end = findEnd(bytes, this.#view, refuse)
    const count = this.#view.getUint16(end + 10, true)
    if (count > maxFiles) throw refuse(end, 'it has too many files')
    let at = this.#view.getUint32(end + 16, true)
    for (let index = 0; index < count; index++) at = this.#readEntry(at, end)
  }

  /** Whether the archive has a file. */
  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** The names of its files, without those of folders. */
  get names(): string[] {
    return [...this.#entries.keys()].filter((name) => !name.endsWith('/'))
  }

  /** The text of a file (UTF-8) in pieces; nothing if there is no such file. */
  async *read(name: string): AsyncGenerator<string> {
    const text = new TextDecoder('utf-8', { fatal: true })
    try {
      for await (const piece of this.pieces(name)) yield text.decode(piece, { stream: true })
      yield text.decode()
    } catch (error) {
      if (error instanceof FileFault) throw error
      throw this.#refuse(this.#entries.get(name)?.offset ?? 0, `${name} is damaged`)
    }
  }

  /** The bytes of a file in pieces; nothing if there is no such file. */
  async *pieces(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name)
    if (!entry) return
    const refuse = (reason: string): FileFault => this.#refuse(entry.offset, reason)
    let size = 0
    if (entry.size > this.#limits.file)
      throw refuse(`${name} has more than ${this.#limits.file / 1024 / 1024} MB unpacked`)
    try {
      for await (const piece of this.#unpack(entry)) {
        size += piece.length
        this.#unpacked += piece.length
        if (this.#unpacked > this.#limits.total) throw refuse('it is too large when unpacked')
        if (size > entry.size) break
        yield piece
        await letOthersRun()
      }
    } catch (error) {
      if (error instanceof FileFault) throw error
      throw refuse(`${name} is damaged`)
    }
    if (size !== entry.size) throw refuse(`${name} does not have the size that the archive says`)
  }

  #readEntry(at: number, end: number): number {
    const view = this.#view
    if (at + 46 > end || view.getUint32(at, true) !== 0x02014b50) throw this.#refuse(at, 'its directory is damaged')
    const nameLength = view.getUint16(at + 28, true)
    const name = decodeName(this.#bytes.subarray(at + 46, at + 46 + nameLength))
      .replaceAll('\\', '/')
      .replace(/^\//, '')
    if ((view.getUint16(at + 8, true) & 1) === 1) throw this.#refuse(at, 'it is protected by a password')
    if (this.#entries.has(name)) throw this.#refuse(at, 'two files in it have one name')
    this.#entries.set(name, {
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    })
    return at + 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }

  async *#unpack({ method, packed, offset }: Entry): AsyncGenerator<Uint8Array> {
    const view = this.#view
    if (offset + 30 > this.#bytes.length || view.getUint32(offset, true) !== 0x04034b50)
      throw this.#refuse(offset, 'a file in it is not where its directory says')
    const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
    const data = this.#bytes.slice(start, start + packed)
    if (data.length < packed) throw this.#refuse(offset, 'a file in it is cut off')
    if (method === 0) for (let at = 0; at < packed; at += pieceBytes) yield data.subarray(at, at + pieceBytes)
    else if (method === 8) yield* new Blob([data]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
    else throw this.#refuse(offset, 'a file in it is compressed in a way that is not supported')
  }
}

/** Lets other work of the process run between two pieces of a file: reading a file must not block the service. */
export const letOthersRun = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

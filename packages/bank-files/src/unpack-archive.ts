import { FileFault } from './file-fault.ts'
import { ZipArchive } from './formats/zip-archive.ts'

/** Most files in an archive, and most bytes of one and of all of them, unpacked. */
const maxFiles = 100
const limits = { file: 64 * 1024 * 1024, total: 128 * 1024 * 1024 }

/** A file in an archive. `pieces` throws a `FileFault` if it is damaged or too large. */
export type PackedFile = { readonly name: string; readonly pieces: () => AsyncGenerator<Uint8Array> }

/**
 * The files of a ZIP archive, or `undefined` if the bytes are none, or are a workbook, which is one by its form. Throws a
 * `FileFault`.
 */
export const unpackArchive = (bytes: Uint8Array): PackedFile[] | undefined => {
  if (bytes.length < 4 || new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) !== 0x504b0304) return undefined
  const archive = new ZipArchive(
    bytes,
    limits,
    (byte, reason) => new FileFault(1, `The archive cannot be read at byte ${byte + 1}: ${reason}.`),
  )
  if (archive.has('[Content_Types].xml')) return undefined
  const { names } = archive
  if (names.length > maxFiles) throw new FileFault(1, `The archive has more than ${maxFiles} files.`)
  return names.map((name) => ({ name, pieces: () => archive.pieces(name) }))
}

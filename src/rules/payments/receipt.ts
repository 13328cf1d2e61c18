/** Types of files that payers may upload. */
export const receiptTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'application/pdf'] as const
export type ReceiptType = (typeof receiptTypes)[number]

export const maxReceiptBytes = 5 * 1024 * 1024
/** Most receipts of one payment. */
export const maxReceipts = 5

/** HEIF brands that phones use for photos (ISO/IEC 23008-12, Annex B). */
const heicBrands = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'])

const textAt = (content: Uint8Array, from: number): string => String.fromCharCode(...content.subarray(from, from + 4))

const startsWith = (content: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => content[index] === byte)

/** The type of a file by its first bytes, whatever its name; `undefined` for any other file. */
export const readReceiptType = (content: Uint8Array): ReceiptType | undefined => {
  // The signature and the header chunk that must follow it (PNG §5.2, §5.6).
  const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52]
  if (startsWith(content, png)) return 'image/png'
  if (startsWith(content, [0xff, 0xd8, 0xff])) return 'image/jpeg'
  if (textAt(content, 0) === 'RIFF' && textAt(content, 8) === 'WEBP') return 'image/webp'
  if (textAt(content, 4) === 'ftyp' && heicBrands.has(textAt(content, 8))) return 'image/heic'
  return startsWith(content, [0x25, 0x50, 0x44, 0x46, 0x2d]) ? 'application/pdf' : undefined
}

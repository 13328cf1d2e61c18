/** A picture that browsers can show, recognised by its first bytes; its size in pixels. */
export type Picture = {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp'
  readonly width: number
  readonly height: number
}

const textAt = (bytes: Uint8Array, from: number, text: string): boolean =>
  [...text].every((letter, index) => bytes[from + index] === letter.codePointAt(0))

const big = (bytes: Uint8Array, from: number, length: number): number =>
  bytes.subarray(from, from + length).reduce((value, byte) => value * 256 + byte, 0)

const little = (bytes: Uint8Array, from: number, length: number): number =>
  bytes.subarray(from, from + length).reduceRight((value, byte) => value * 256 + byte, 0)

// PNG §5.2, §11.2.2: the signature, then the header chunk.
const readPng = (bytes: Uint8Array): Picture | undefined =>
  bytes.length >= 33 && textAt(bytes, 0, '\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
    ? { type: 'image/png', width: big(bytes, 16, 4), height: big(bytes, 20, 4) }
    : undefined

// Skips segments by their lengths up to the frame header (ITU T.81 B.2.2), whose markers are C0 to CF except C4, C8 and
// CC.
const readJpeg = (bytes: Uint8Array): Picture | undefined => {
  if (!textAt(bytes, 0, '\xff\xd8\xff')) return undefined
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { type: 'image/jpeg', height: big(bytes, at + 5, 2), width: big(bytes, at + 7, 2) }
    }
    // Any number of these bytes may precede a marker as padding.
    at += marker === 0xff ? 1 : 2 + big(bytes, at + 2, 2)
  }
  return undefined
}

// RFC 9649: lossy, lossless, and the extended form.
const readWebp = (bytes: Uint8Array): Picture | undefined => {
  if (bytes.length < 30 || !textAt(bytes, 0, 'RIFF') || !textAt(bytes, 8, 'WEBPVP8')) return undefined
  const type = 'image/webp'
  if (textAt(bytes, 12, 'VP8X')) return { type, width: little(bytes, 24, 3) + 1, height: little(bytes, 27, 3) + 1 }
  if (textAt(bytes, 12, 'VP8L') && bytes[20] === 0x2f) {
    const packed = little(bytes, 21, 4)
    return { type, width: (packed % 0x4000) + 1, height: (Math.floor(packed / 0x4000) % 0x4000) + 1 }
  }
  if (!textAt(bytes, 12, 'VP8 ') || !textAt(bytes, 23, '\x9d\x01\x2a')) return undefined
  return { type, width: little(bytes, 26, 2) % 0x4000, height: little(bytes, 28, 2) % 0x4000 }
}

/** The type and size of a PNG, JPEG or WebP, whatever its name; `undefined` for others, and for one without pixels. */
export const readPicture = (bytes: Uint8Array): Picture | undefined => {
  const picture = readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes)
  return picture && picture.width > 0 && picture.height > 0 ? picture : undefined
}

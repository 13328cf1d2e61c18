/** The byte of each UTF-16 code unit: a question mark for those that the character set does not have. */
const bytes = new Uint8Array(0x10000).fill(0x3f)
const characters = new TextDecoder('windows-1251').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
for (let byte = 0; byte < 256; byte++) bytes[characters.charCodeAt(byte)] = byte

/** A text in windows-1251; characters that it does not have become question marks. */
export const encodeWindows1251 = (text: string): Uint8Array => {
  const encoded = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) encoded[index] = bytes[text.charCodeAt(index)] ?? 0x3f
  return encoded
}

const codes = new Map(
  [...new TextDecoder('windows-1251').decode(Uint8Array.from({ length: 256 }, (_, code) => code))].map(
    (character, code) => [character, code] as const,
  ),
)

/** A text in windows-1251; characters that it does not have become question marks. */
export const encodeWindows1251 = (text: string): Uint8Array =>
  Uint8Array.from([...text], (character) => codes.get(character) ?? 0x3f)

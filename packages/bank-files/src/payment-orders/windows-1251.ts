const decoder = new TextDecoder('windows-1251')

/** The codes of the characters of windows-1251. */
const codes: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 256 }, (_, code) => [decoder.decode(Uint8Array.of(code)), code] as const),
)

/** The first character of a text that windows-1251 does not have. */
export const foreignTo1251 = (text: string): string | undefined => [...text].find((sign) => !codes.has(sign))

/** A text in windows-1251; all its characters must exist there. */
export const encode1251 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([...text], (sign) => {
    const code = codes.get(sign)
    if (code === undefined) throw new TypeError(`windows-1251 has no ${sign}`)
    return code
  })

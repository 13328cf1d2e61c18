// A text as templates compare it: no spaces, one case, one form of dashes and quotation marks, and Cyrillic letters as
// the Latin ones that look the same, which messages mix.

/** Kinds of characters. */
const otherCharacter = 0
export const letter = 1
export const digit = 2
const space = 3
const invisible = 4

/** A text without its spaces. The arrays have one value for each character that is left. */
export type NormalText = {
  /** The text as it was. */
  readonly source: string
  /** The characters as one string. */
  readonly folded: string
  readonly kinds: Uint8Array
  /** 1 where a space was before the character. */
  readonly spaced: Uint8Array
  /** 1 for a capital letter after a small one: a line break that was lost may have been there. */
  readonly raised: Uint8Array
  /** Where the character is in `source`. */
  readonly positions: Uint32Array
}

const lookalikes = new Map(
  Array.from('авекмнорстухіјѕё', (cyrillic, index) => [cyrillic, 'abekmhopctyxijse'.charAt(index)]),
)
const forms: readonly (readonly [string, string])[] = [
  ['‐‑‒–—−', '-'],
  ['«»“”„″', '"'],
  ['‘’ʻʼ`´', "'"],
  ['•·∙●', '*'],
]
const sameForm = new Map(forms.flatMap(([variants, form]) => [...variants].map((each) => [each, form])))

const foldedCodes = new Uint16Array(65_536)
const kindsOfCodes = new Uint8Array(65_536)
const casesOfCodes = new Uint8Array(65_536)
const [small, capital] = [1, 2]

const kindOf = (character: string): number => {
  if (/\s/.test(character)) return space
  if (/[\p{Cf}\p{Cc}\uFE0E\uFE0F]/u.test(character)) return invisible
  if (/[0-9]/.test(character)) return digit
  return /[\p{L}\p{M}]/u.test(character) ? letter : otherCharacter
}

const learn = (code: number): void => {
  const character = String.fromCharCode(code)
  const lower = character.toLowerCase().slice(0, 1)
  const folded = lookalikes.get(lower) ?? sameForm.get(lower) ?? lower
  foldedCodes[code] = folded.charCodeAt(0)
  kindsOfCodes[code] = kindOf(character)
  if (lower !== character) casesOfCodes[code] = capital
  else if (character.toUpperCase() !== character) casesOfCodes[code] = small
}

// Some forwarders send line breaks as references of XML.
const breaks = ['&#10;', '&#13;', '&#xA;', '&#xD;']

/** Normalises a text, in time in proportion to its length. */
export const normalText = (source: string): NormalText => {
  let folded = ''
  const kinds = new Uint8Array(source.length)
  const spaced = new Uint8Array(source.length)
  const raised = new Uint8Array(source.length)
  const positions = new Uint32Array(source.length)
  let length = 0
  let isSpaced = 0
  let wasSmall = false
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at)
    if (foldedCodes[code] === 0) learn(code)
    const kind = kindsOfCodes[code] ?? otherCharacter
    const reference = code === 38 ? breaks.find((each) => source.startsWith(each, at)) : undefined
    if (kind === space || reference !== undefined) isSpaced = 1
    if (reference !== undefined) at += reference.length - 1
    if (kind >= space || reference !== undefined) continue
    folded += String.fromCharCode(foldedCodes[code] ?? code)
    kinds[length] = kind
    spaced[length] = isSpaced
    raised[length] = wasSmall && casesOfCodes[code] === capital ? 1 : 0
    wasSmall = casesOfCodes[code] === small
    positions[length] = at
    isSpaced = 0
    length += 1
  }
  return {
    source,
    folded,
    kinds: kinds.subarray(0, length),
    spaced: spaced.subarray(0, length),
    raised: raised.subarray(0, length),
    positions: positions.subarray(0, length),
  }
}

/** The original text from one character to before another, with single spaces. */
export const originalText = ({ source, positions }: NormalText, from: number, to: number): string => {
  const [first = 0, last = 0] = [positions[from], positions[to - 1]]
  return to <= from
    ? ''
    : source
        .slice(first, last + 1)
        .split(/\s/)
        .filter((word) => word !== '')
        .join(' ')
}

// Texts for which a regular expression takes long: the beginning of a match, repeated, with an ending that does not
// match. They are derived from the pattern, so that new patterns are tested automatically.

const alphabet = [...' \t\n\ra-z0A9.:;,/*+-_=<>[](){}"\'?!#&@|\\éяЯ№₽\u00a0\u0000'.replace('a-z', 'abhmsx')]

/** A piece of a pattern: which characters it matches, and whether it may repeat without a limit. */
type Atom = { readonly samples: readonly string[]; readonly isEndless: boolean }

const token =
  /\\[pP]\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|:|<\w+>)|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]/gu
const quantifier = /^(?:[*+?]\??|\{\d+(?:,\d*)?\}\??)$/
const endless = /^(?:[*+]|\{\d+,\})/

const samplesOf = (source: string, flags: string): readonly string[] => {
  const one = new RegExp(`^(?:${source})$`, flags.replace(/[gymd]/g, ''))
  const plain = source.startsWith('\\') ? source.slice(1) : source
  const matching = [plain.charAt(0), ...alphabet].filter((character) => one.test(character))
  // The first character that matches, one from the middle and the last.
  return [...new Set([matching[0], matching.at(Math.floor(matching.length / 2)), matching.at(-1)])].filter(
    (each) => each !== undefined,
  )
}

/** The characters of a pattern in order, without groups; an endless group makes its last character endless. */
const atomsOf = ({ source, flags }: RegExp): Atom[] => {
  const atoms: Atom[] = []
  for (const [text] of source.matchAll(token)) {
    const last = atoms.at(-1)
    if (quantifier.test(text)) {
      if (last && endless.test(text)) atoms[atoms.length - 1] = { ...last, isEndless: true }
    } else if (!/^(?:\(|\)|\||\^|\$|\\[bB]|\\\d)/.test(text)) {
      atoms.push({ samples: samplesOf(text, flags), isEndless: false })
    }
  }
  return atoms
}

/** Whether the pattern has a repetition without a limit, so that it may read a text of any length more than once. */
export const hasEndlessPart = (pattern: RegExp): boolean => atomsOf(pattern).some(({ isEndless }) => isEndless)

/** A text of at least `length` characters. */
export type GrowingText = { readonly shown: string; readonly of: (length: number) => string }

/** Most texts per pattern; the first ones are the most likely to be slow. */
const mostTexts = 240

/** Texts for which the pattern may take long. */
export const adversarialTexts = (pattern: RegExp): GrowingText[] => {
  const atoms = atomsOf(pattern)
  const tried = new Map<string, GrowingText>()
  const add = (beginning: string, pump: string): void => {
    if (pump === '') return
    const shown = `${JSON.stringify(beginning)} + ${JSON.stringify(pump)} × n`
    const of = (length: number) => `${beginning}${pump.repeat(Math.ceil(length / pump.length))}\u0000`
    tried.set(shown, { shown, of })
  }
  const repeated = new Set(atoms.flatMap(({ isEndless, samples }) => (isEndless ? samples : [])))
  for (const [index, { isEndless, samples }] of atoms.entries()) {
    if (!isEndless) continue
    const befores = [0, index - 8, index - 3, index - 1, index].map((from) =>
      atoms
        .slice(Math.max(0, from), index)
        .map((each) => each.samples[0] ?? '')
        .join(''),
    )
    for (const before of befores) add('', before)
    for (const sample of samples) {
      add('', sample)
      add('', sample + (atoms[index + 1]?.samples[0] ?? ''))
      for (const before of befores) {
        add(before, sample)
        add('', before + sample)
      }
    }
  }
  for (const sample of repeated) add(atoms[0]?.samples[0] ?? '', sample)
  return [...tried.values()].slice(0, mostTexts)
}

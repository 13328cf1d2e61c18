import { isOrganisation } from './masking.ts'

// Cyrillic letters as banks transliterate them. `й`, `ё`, `ї` and `ў` lose their marks before the look-up.
const latin: Readonly<Record<string, string>> = {
  ...{ а: 'a', б: 'b', в: 'v', г: 'g', ґ: 'g', ғ: 'g', д: 'd', е: 'e', є: 'e', ж: 'zh', з: 'z', и: 'i', і: 'i' },
  ...{ к: 'k', қ: 'k', л: 'l', м: 'm', н: 'n', ң: 'n', о: 'o', ө: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ү: 'u' },
  ...{ ұ: 'u', ф: 'f', х: 'h', һ: 'h', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'sch', ъ: '', ы: 'i', ь: '', э: 'e', ә: 'a' },
  ...{ ю: 'iu', я: 'ia' },
}

// Different standards spell one sound differently: all become one spelling. The order matters.
const spellings: readonly (readonly [RegExp, string])[] = [
  [/[jy]/g, 'i'],
  [/w/g, 'v'],
  [/x/g, 'ks'],
  [/ph/g, 'f'],
  [/kh/g, 'h'],
  [/shch/g, 'sch'],
  [/i[eo]/g, 'e'],
  [/(.)\1+/g, '$1'],
]

/** The common form of all spellings of a word: `Аксёнов` and `AKSENOV` are `aksenov`. */
const foldWord = (word: string): string => {
  const letters = [...word].map((letter) => latin[letter] ?? letter).join('')
  return spellings.reduce((folded, [pattern, spelling]) => folded.replace(pattern, spelling), letters)
}

// Lower case, without diacritics and apostrophes.
const plain = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}'’‘ʼʻ`]/gu, '')

/** The common form of a word in any alphabet and spelling: `Аксёнов` and `AKSENOV` are the same. */
export const foldName = (word: string): string => foldWord(plain(word))

type NameWord = { readonly folded: string; readonly isInitial: boolean }

const foldWords = (name: string): readonly NameWord[] =>
  plain(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && word !== 'ип')
    .map((word) => ({ folded: foldWord(word), isInitial: [...word].length === 1 }))

/** Names that were folded lately: each transfer is compared with all open payments, and folding takes longer than that. */
const foldedLately = new Map<string, readonly NameWord[]>()
const mostFolded = 5000

/** The words of a name, folded; an initial is a word of one letter. */
const wordsOf = (name: string): readonly NameWord[] => {
  const known = foldedLately.get(name)
  if (known) return known
  const words = foldWords(name)
  if (foldedLately.size >= mostFolded) foldedLately.clear()
  foldedLately.set(name, words)
  return words
}

const isPatronymic = ({ folded }: NameWord): boolean => /(?:[oe]vich|[oe]vna|ichna)$/.test(folded)

/** A whole name without its patronymic, if the other one leaves it out: an initial is then that of the family name. */
const withoutPatronymic = (words: readonly NameWord[], others: readonly NameWord[]): readonly NameWord[] => {
  const found = words.length === 3 && others.length === 2 ? words.findIndex(isPatronymic) : -1
  const isGiven = others.some(({ folded }) => folded === words[found]?.folded)
  return found === -1 || isGiven ? words : words.toSpliced(found, 1)
}

/**
 * Compares names of payers in any alphabet, order and abbreviation that banks use: `Иванов Иван Иванович`, `IVANOV I.`
 * and `Иван И.` may be one person. Many people share a name, so this is only evidence, and never enough to match.
 * `same`: at least two words, all equal; `alike`: no word contradicts, and one whole word and another agree.
 */
export const compareNames = (one: string, other: string): 'same' | 'alike' | 'different' =>
  compareWords(wordsOf(one), wordsOf(other))

const compareWords = (one: readonly NameWord[], other: readonly NameWord[]): 'same' | 'alike' | 'different' => {
  const [fewer = [], longer = []] = [one, other].toSorted((a, b) => a.length - b.length)
  if (fewer.length < 2) return 'different'
  const more = withoutPatronymic(longer, fewer)
  // A list of names would be like anybody's.
  if (more.length > fewer.length + 1) return 'different'
  const left = [...more]
  let whole = 0
  // Whole words first: an initial must not take a word that equals another one.
  for (const word of fewer.toSorted((a, b) => Number(a.isInitial) - Number(b.isInitial))) {
    const equal = left.findIndex((each) => !word.isInitial && each.folded === word.folded)
    const short = (each: (typeof left)[number]): boolean =>
      (word.isInitial && each.folded.startsWith(word.folded)) || (each.isInitial && word.folded.startsWith(each.folded))
    const found = equal === -1 ? left.findIndex(short) : equal
    if (found === -1) return 'different'
    left.splice(found, 1)
    if (equal !== -1) whole++
  }
  if (whole === 0) return 'different'
  return whole === longer.length ? 'same' : 'alike'
}

/** Names to look others up in: returns those that are not `different`, each once, by a whole word that both have. */
export const indexNames = <Of>(names: Iterable<readonly [name: string, of: Of]>): ((name: string) => Set<Of>) => {
  const byWord = new Map<string, { readonly words: readonly NameWord[]; readonly of: Of }[]>()
  const wholeWords = (words: readonly NameWord[]) =>
    new Set(words.flatMap((word) => (word.isInitial ? [] : word.folded)))
  for (const [name, of] of names) {
    const words = wordsOf(name)
    const named = { words, of }
    for (const word of wholeWords(words)) {
      const known = byWord.get(word)
      if (known) known.push(named)
      else byWord.set(word, [named])
    }
  }
  return (name) => {
    const words = wordsOf(name)
    const sharing = new Set([...wholeWords(words)].flatMap((word) => byWord.get(word) ?? []))
    return new Set([...sharing].filter((each) => compareWords(words, each.words) !== 'different').map(({ of }) => of))
  }
}

/** Shorter words of an organisation's name are its legal form. */
const nameLength = 4

const begins = (word: string, other: string): boolean => word.startsWith(other) || other.startsWith(word)

/** Whether each of the fewer words equals one of the others, or begins it or the other way round; one to one. */
const areIn = (fewer: readonly string[], more: readonly string[]): boolean => {
  const left = [...more]
  const take = (fits: (each: string) => boolean): boolean => {
    const found = left.findIndex(fits)
    if (found >= 0) left.splice(found, 1)
    return found >= 0
  }
  return fewer.filter((word) => !take((each) => each === word)).every((word) => take((each) => begins(word, each)))
}

/** A name, parsed for many comparisons. */
export type PayerName = { readonly words: readonly string[]; readonly isOrganisation: boolean }

/** The unmasked words of a name. */
export const readName = (name: string): PayerName => ({
  words: wordsOf(name.replace(/[*•…]\S*/g, ' ')).map(({ folded }) => folded),
  isOrganisation: isOrganisation(name),
})

/**
 * Whether two names may be the same payer's, as far as they show: whole, shortened, cut or masked. A person's are not
 * if a word of the shorter one begins none of the other's, nor the other way round; an organisation's are not if they
 * have no word in common, because banks write its legal form in many ways.
 */
export const mayBeOneName = (one: PayerName, other: PayerName): boolean => {
  // One file may give the payer's bank where another one gives the payer.
  if (one.isOrganisation !== other.isOrganisation) return true
  const [fewer, more] = one.words.length <= other.words.length ? [one.words, other.words] : [other.words, one.words]
  if (!one.isOrganisation) return areIn(fewer, more)
  const [own, others] = [fewer, more].map((words) => words.filter((word) => word.length >= nameLength))
  return !own?.length || !others?.length || own.some((word) => others.some((each) => begins(word, each)))
}

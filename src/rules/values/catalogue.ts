/** English texts, and what they are in another language. */
export type Texts = Readonly<Record<string, string>>

const pluralNames = ['zero', 'one', 'two', 'few', 'many', 'other'] as const

/** A text with gaps: what is written before, between and after them. */
type Pattern = { readonly text: string; readonly written: readonly string[] }

/** How much of a text is no gap. */
const lengthOf = ({ written }: Pattern): number => written.join('').length

/** What fills the gaps of a pattern in a text, each as short as possible; undefined if it is another text. */
const matchPattern = ({ written }: Pattern, text: string): readonly string[] | undefined => {
  const [first = '', ...others] = written
  // Between gaps alone, a few words say little about a long text.
  if (first === '' && text.length > 10 * written.join('').length) return undefined
  const last = others.pop() ?? ''
  const end = text.length - last.length
  if (!text.startsWith(first) || !text.endsWith(last) || first.length > end) return undefined
  const values: string[] = []
  let from = first.length
  for (const each of others) {
    const at = text.indexOf(each, from)
    if (at < 0 || at + each.length > end) return undefined
    values.push(text.slice(from, at))
    from = at + each.length
  }
  return [...values, text.slice(from, end)]
}

/** The texts with gaps by how they begin, each with its rank: the most particular come first. */
class Patterns {
  readonly #byBeginning = new Map<string, (readonly [rank: number, pattern: Pattern])[]>()
  readonly #lengths: readonly number[]

  constructor(texts: Iterable<string>) {
    const patterns = [...texts]
      .filter((text) => text.includes('{0}'))
      .map((text): Pattern => ({ text, written: text.split(/\{\d\}/) }))
      .filter((pattern) => lengthOf(pattern) > (pattern.written.at(-1) === '' ? 5 : 4))
      .toSorted((a, b) => lengthOf(b) - lengthOf(a))
    for (const [rank, pattern] of patterns.entries()) {
      const beginning = pattern.written[0] ?? ''
      this.#byBeginning.set(beginning, [...(this.#byBeginning.get(beginning) ?? []), [rank, pattern]])
    }
    this.#lengths = [...new Set([...this.#byBeginning.keys()].map(({ length }) => length))]
  }

  /** The most particular pattern of a text that begins with so much of it, and what fills its gaps. */
  match(
    text: string,
    leastBeginning: number,
  ): { readonly pattern: Pattern; readonly values: readonly string[] } | undefined {
    const possible = this.#lengths
      .filter((length) => length >= leastBeginning)
      .flatMap((length) => this.#byBeginning.get(text.slice(0, length)) ?? [])
      .toSorted(([a], [b]) => a - b)
    for (const [, pattern] of possible) {
      const values = matchPattern(pattern, text)
      if (values !== undefined) return { pattern, values }
    }
    return undefined
  }
}

/** The texts of one language. It is loaded only for those who read another language than English. */
export class Catalogue {
  readonly #texts: ReadonlyMap<string, string>
  readonly #plurals: Intl.PluralRules
  readonly #pluralNames: readonly Intl.LDMLPluralRule[]
  /** What filled texts are, once they were found. */
  readonly #filled = new Map<string, string>()
  #patterns: Patterns | undefined

  constructor(language: string, texts: Texts) {
    this.#texts = new Map(Object.entries(texts))
    this.#plurals = new Intl.PluralRules(language)
    const { pluralCategories } = this.#plurals.resolvedOptions()
    this.#pluralNames = pluralNames.filter((each) => pluralCategories.includes(each))
  }

  /** A word or text that is known as it is. */
  find(text: string): string | undefined {
    return this.#texts.get(text)
  }

  /** One of these words: there may be several for what is one word in English, as in `draft/approved/paid: paid`. */
  sayWord(word: string, choices: readonly string[] = []): string {
    return this.find(`${choices.join('/')}: ${word}`) ?? this.find(word) ?? word
  }

  /** A text whose gaps were filled elsewhere. */
  sayFilled(text: string): string {
    const known = this.#texts.get(text) ?? this.#filled.get(text)
    if (known !== undefined) return known
    const said = this.#match(text) ?? text
    this.#filled.set(text, said)
    return said
  }

  /** The same of a text that anybody may have written: only if it is known, or begins with several words that are. */
  sayWritten(text: string): string {
    return this.find(text) ?? this.#match(text, 10) ?? text
  }

  /** What was put into the gaps is said, too, unless it begins like a name, is quoted, or stays as it is: `{0!}`. */
  #match(text: string, leastBeginning = 0): string | undefined {
    this.#patterns ??= new Patterns(this.#texts.keys())
    const { pattern, values = [] } = this.#patterns.match(text, leastBeginning) ?? {}
    if (pattern === undefined) return undefined
    const own = this.#texts.get(pattern.text) ?? pattern.text
    const isName = (value: string, index: number): boolean =>
      !/^[a-z\d]|\.$/.test(value) || /["“']$/.test(pattern.written[index] ?? '') || own.includes(`{${index}!}`)
    const said = values.map((value, index) => (isName(value, index) ? value : this.#sayGap(value)))
    return this.partsOf(own, said, String).join('')
  }

  /** Of sentences that follow each other, a space may begin one. */
  #sayGap(value: string): string {
    const said = this.sayFilled(value)
    return said === value && value.startsWith(' ') ? ` ${this.sayFilled(value.trimStart())}` : said
  }

  /**
   * A text with values in its gaps, part by part: `{0}`, or `{0|row|rows}` for the form that fits the number. `read`:
   * what people read of a value.
   */
  partsOf<Value>(text: string, values: readonly Value[], read: (value: Value) => string): (string | Value)[] {
    return text.split(/\{(\d[^{}]*)\}/).map((part, index) => {
      if (index % 2 === 0) return part
      const [gap, ...forms] = part.split('|')
      const value = values[Number.parseInt(gap ?? '', 10)]
      if (value === undefined) return ''
      return forms.length > 0 ? this.#formOf(read(value), forms) : value
    })
  }

  /** The form for a number, of forms such as `строка|строки|строк`. */
  #formOf(value: string, forms: readonly string[]): string {
    const count = Number(value.replaceAll(/[^\d,.]/g, '').replace(',', '.'))
    return forms[Math.min(this.#pluralNames.indexOf(this.#plurals.select(count)), forms.length - 1)] ?? ''
  }
}

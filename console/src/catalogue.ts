import { createElement, Fragment, isValidElement, type ReactNode } from 'react'

/** English texts, and what they are in another language. */
export type Texts = Readonly<Record<string, string>>

const pluralNames = ['zero', 'one', 'two', 'few', 'many', 'other'] as const

/** What people read of a value within a text. */
const textOf = (value: ReactNode): string => {
  if (isValidElement<{ readonly children?: ReactNode }>(value)) return textOf(value.props.children)
  if (Array.isArray(value)) return value.map(textOf).join('')
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

type Pattern = { readonly pattern: RegExp; readonly text: string }

/** How much of a text is no gap. */
const lengthOf = (text: string): number => text.replaceAll(/\{\d\}/g, '').length

/** The texts with gaps as patterns, the most particular first. */
const readPatterns = (texts: Texts): readonly Pattern[] =>
  Object.keys(texts)
    .filter((text) => text.includes('{0}') && lengthOf(text) > 5)
    .toSorted((a, b) => lengthOf(b) - lengthOf(a))
    .map((text) => {
      const pattern = text.replaceAll(/[.*+?^$()[\]|\\]/g, '\\$&').replaceAll(/\{\d\}/g, '(.*?)')
      return { pattern: new RegExp(`^${pattern}$`, 's'), text }
    })

/** The texts of one language. It is loaded only for those who read another language than English. */
export class Catalogue {
  readonly #texts: Texts
  readonly #plurals: Intl.PluralRules
  readonly #pluralNames: readonly Intl.LDMLPluralRule[]
  /** What filled texts are, once they were found. */
  readonly #filled = new Map<string, string>()
  #patterns: readonly Pattern[] | undefined

  constructor(language: string, texts: Texts) {
    this.#texts = texts
    this.#plurals = new Intl.PluralRules(language)
    const { pluralCategories } = this.#plurals.resolvedOptions()
    this.#pluralNames = pluralNames.filter((each) => pluralCategories.includes(each))
  }

  /** A text with values in its gaps; `place` is where it may differ from the same English text elsewhere. */
  say(text: string, values: readonly ReactNode[], place = ''): ReactNode {
    const own = this.#texts[`${place}: ${text}`]
    if (own !== undefined) return this.#fill(own, values)
    if (values.length === 0) return this.#texts[text] ?? text
    return this.#texts[textOf(this.#fill(text, values))] ?? this.#fill(this.#texts[text] ?? text, values)
  }

  /** A word or text that is known as it is. */
  find(text: string): string | undefined {
    return this.#texts[text]
  }

  /** A text whose gaps the service has filled. */
  sayFilled(text: string): string {
    const known = this.#texts[text] ?? this.#filled.get(text)
    if (known !== undefined) return known
    const said = this.#match(text) ?? text
    this.#filled.set(text, said)
    return said
  }

  /** What the service has put into the gaps is said, too, unless it begins like a name. */
  #match(text: string): string | undefined {
    this.#patterns ??= readPatterns(this.#texts)
    for (const { pattern, text: known } of this.#patterns) {
      const values = pattern.exec(text)?.slice(1)
      if (values === undefined) continue
      const said = values.map((value) => (/^[a-z\d]|\.$/.test(value) ? this.sayFilled(value) : value))
      return textOf(this.#fill(this.#texts[known] ?? known, said))
    }
    return undefined
  }

  /** Puts values into the gaps of a text: `{0}`, or `{0|row|rows}` for the form that fits the number. */
  #fill(text: string, values: readonly ReactNode[]): ReactNode {
    const parts = text.split(/\{(\d[^}]*)\}/).map((part, index) => {
      if (index % 2 === 0) return part
      const [gap, ...forms] = part.split('|')
      const value = values[Number(gap)]
      return forms.length > 0 ? this.#formOf(value, forms) : value
    })
    return parts.some((part) => typeof part === 'object') ? createElement(Fragment, null, ...parts) : textOf(parts)
  }

  /** The form for a number, of forms such as `строка|строки|строк`. */
  #formOf(value: ReactNode, forms: readonly string[]): string {
    const count = Number(
      textOf(value)
        .replaceAll(/[^\d,.]/g, '')
        .replace(',', '.'),
    )
    return forms[Math.min(this.#pluralNames.indexOf(this.#plurals.select(count)), forms.length - 1)] ?? ''
  }
}

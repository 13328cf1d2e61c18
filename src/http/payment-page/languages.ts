import { type PageLanguage, pageLanguages } from '../../rules/payments/page-language.ts'
import { type Dictionary, english } from './english.ts'
import kk from './languages/kk.json' with { type: 'json' }
import ru from './languages/ru.json' with { type: 'json' }
import tg from './languages/tg.json' with { type: 'json' }
import uz from './languages/uz.json' with { type: 'json' }
import type { Message } from './message.ts'

/** What a file has for a part of the English texts: the same keys, and `{0}`, `{1}` … where values are filled in. */
type Translation<T> = T extends (...values: never[]) => infer Text
  ? Translation<Text>
  : T extends string
    ? string
    : T extends readonly unknown[]
      ? readonly string[]
      : { readonly [Key in keyof T]: Translation<T[Key]> }

const fill = (text: string, values: readonly string[]): string =>
  text.replace(/\{(\d)\}/g, (_, index: string) => values[Number(index)] ?? '')

const fillAll = (text: string | Message, values: readonly string[]): string | Message =>
  typeof text === 'string'
    ? fill(text, values)
    : { heading: fill(text.heading, values), lines: text.lines.map((line) => fill(line, values)) }

/** The texts of a file in the shape of the English ones. */
const inShapeOf = (source: unknown, text: unknown): unknown => {
  if (typeof source === 'function') return (...values: string[]) => fillAll(text as string | Message, values)
  if (typeof source === 'string' || Array.isArray(source)) return text
  const texts = text as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(source as object).map(([key, each]) => [key, inShapeOf(each, texts[key])]))
}

const translate = (texts: Translation<Dictionary>): Dictionary => inShapeOf(english, texts) as Dictionary

/** The texts of the page: a language is a code in `page-language.ts` and its file in `languages`. */
export const dictionaries: Readonly<Record<PageLanguage, Dictionary>> = {
  ru: translate(ru),
  en: english,
  uz: translate(uz),
  kk: translate(kk),
  tg: translate(tg),
}

/** Code of a language that the page has. */
export type Locale = PageLanguage

/** All languages of the page, the default one first. */
export const locales: readonly Locale[] = pageLanguages

/** The page's language for a language tag such as `en-GB`; `undefined` when the page has none. */
export const readLocale = (tag: string | null | undefined): Locale | undefined => {
  const [language = ''] = (tag ?? '').trim().toLowerCase().split('-')
  return locales.find((each) => each === language)
}

/** Languages of an Accept-Language header, the most preferred first (RFC 9110 §12.5.4). */
const accepted = (header: string | undefined): string[] =>
  (header ?? '')
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';')
      const weight = parameters.find((parameter) => /^\s*q=/i.test(parameter))
      return { tag, weight: weight === undefined ? 1 : Number(weight.split('=')[1]) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)

/** The language of a page: the address's, else the payment's, else the browser's, else the default. */
export const chooseLocale = (address: string | undefined, payment: string | null, header: string | undefined): Locale =>
  readLocale(address) ??
  readLocale(payment) ??
  accepted(header).flatMap((tag) => readLocale(tag) ?? [])[0] ??
  (locales[0] as Locale)

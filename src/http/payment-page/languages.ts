import { english } from './dictionary-en.ts'
import { kazakh } from './dictionary-kk.ts'
import { russian } from './dictionary-ru.ts'
import { tajik } from './dictionary-tg.ts'
import { uzbek } from './dictionary-uz.ts'
import { type PageLanguage, pageLanguages } from '../../rules/payments/page-language.ts'
import type { Dictionary } from './dictionary-en.ts'

/** The texts of the page; a language is a code in `domain/page-language.ts` and its dictionary here. */
export const dictionaries = {
  ru: russian,
  en: english,
  uz: uzbek,
  kk: kazakh,
  tg: tajik,
} as const satisfies Record<PageLanguage, Dictionary>

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

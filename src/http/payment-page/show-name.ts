import { html } from 'ghtml'
import type { Locale } from './languages.ts'

/** The attribute that makes screen readers pronounce a Russian name in Russian on a page in another language. */
export const langOf = (locale: Locale, name: string): string =>
  locale !== 'ru' && /\p{Script=Cyrillic}/u.test(name) ? ' lang="ru"' : ''

/** HTML of a text that contains a name, the name marked with its own language. */
export const showNamed = (locale: Locale, text: string, name: string): string => {
  const lang = langOf(locale, name)
  const start = text.indexOf(name)
  if (lang === '' || start < 0) return html`${text}`
  // In one element: a flex row drops the spaces between its items.
  return html`<span>${text.slice(0, start)}<span!${lang}>${name}</span>${text.slice(start + name.length)}</span>`
}

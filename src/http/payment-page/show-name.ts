import { html } from 'ghtml'
import type { Locale } from './languages.ts'

/** The attribute that lets readers say a Russian name in Russian on a page of another language. */
export const langOf = (locale: Locale, name: string): string =>
  locale !== 'ru' && /\p{Script=Cyrillic}/u.test(name) ? ' lang="ru"' : ''

/** HTML of a text with a name in it, the name in its own language. */
export const showNamed = (locale: Locale, text: string, name: string): string => {
  const lang = langOf(locale, name)
  const at = text.indexOf(name)
  if (lang === '' || at < 0) return html`${text}`
  // All of it in one element: what stands between the parts of a button's row is lost.
  return html`<span>${text.slice(0, at)}<span!${lang}>${name}</span>${text.slice(at + name.length)}</span>`
}

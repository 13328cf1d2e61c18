import { createElement, Fragment, type ReactNode } from 'react'
import type { Texts } from '../../src/rules/values/catalogue.ts'
import type { ConsoleCatalogue } from './catalogue.ts'

const loaders = import.meta.glob<Texts>('../languages/*.json', { import: 'default' })
const [before, after] = ['../languages/', '.json']

/** The codes of all languages: English, the language of the source, and one for each catalogue. */
export const languages: readonly string[] = [
  'en',
  ...Object.keys(loaders).map((path) => path.slice(before.length, -after.length)),
]

/** What a language is called in itself: `English`, `Русский`. */
export const nameOfLanguage = (code: string): string => {
  const name = new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1)
}

/** Where the browser keeps the language of the account, so that the next visit starts with it. */
const keptAs = 'payin-language'

const readKept = (): string | undefined => {
  try {
    return localStorage.getItem(keptAs) ?? undefined
  } catch {
    return undefined
  }
}

/** The first language of the browser that there is. */
const preferred = (): string =>
  navigator.languages.map((each) => each.slice(0, 2)).find((each) => languages.includes(each)) ?? 'en'

let catalogue: ConsoleCatalogue | undefined

/** The language of everything that is shown. It changes only when the page is loaded again. */
export let language = 'en'

/** The language of dates and times. */
export let timeLanguage = 'en-GB'

/** Makes everything be said in the language of the account or else of the browser; before anything else is loaded. */
export const loadLanguage = async (): Promise<void> => {
  const wanted = readKept() ?? preferred()
  const read = loaders[before + wanted + after]
  if (read === undefined) return
  try {
    const [{ ConsoleCatalogue: Loaded }, texts] = await Promise.all([import('./catalogue.ts'), read()])
    catalogue = new Loaded(wanted, texts)
  } catch {
    // Without its file the console is in English.
    return
  }
  language = wanted
  timeLanguage = wanted
  document.documentElement.lang = wanted
}

/** Shows everything in the language of the account from now on; without one, in that of the browser. */
export const followAccount = (code: string | null): void => {
  if ((code ?? undefined) === readKept()) return
  try {
    if (code === null) localStorage.removeItem(keptAs)
    else localStorage.setItem(keptAs, code)
  } catch {
    return
  }
  if ((code ?? preferred()) !== language) location.reload()
}

/** An English text with values in its gaps. */
const fill = (text: string, values: readonly ReactNode[]): ReactNode => {
  const parts = text.split(/\{(\d)\}/).map((part, index) => (index % 2 === 0 ? part : values[Number(part)]))
  const isText = parts.every((part) => typeof part !== 'object')
  return isText
    ? parts.filter((part) => part !== true && part !== false).join('')
    : createElement(Fragment, null, ...parts)
}

/** A text in the language of the person, with values in its gaps. The build calls it for each text of the source. */
export const $say = (text: string, ...values: readonly ReactNode[]): ReactNode => {
  if (catalogue !== undefined) return catalogue.say(text, values)
  return values.length === 0 ? text : fill(text, values)
}

/** The same, for a text that a catalogue has once for this module and once for all others: `own-settlements: To`. */
export const $sayIn = (place: string, text: string, ...values: readonly ReactNode[]): ReactNode =>
  catalogue === undefined ? $say(text, ...values) : catalogue.say(text, values, place)

/** A text that is declared elsewhere, or that the service has sent with its gaps filled, in the language of the person. */
export const say = (text: string): string => catalogue?.sayFilled(text) ?? text

/** One of these words: a catalogue may have several for what is one word in English, as in `draft/approved/paid: paid`. */
export const sayWord = (word: string, choices: readonly string[] = []): string =>
  catalogue?.sayWord(word, choices) ?? word

/** The parts of an account of the ledger: only its kind, and what is held of whose, are words. */
export const sayAccount = ([kind = '', ...parts]: readonly string[]): string =>
  [sayWord(kind, ['account']), ...parts.map((part, index) => (index === 0 ? part : sayWord(part, ['account'])))].join(
    ' · ',
  )

/** Words as the choices of a field. */
export const choicesOf = <Word extends string>(words: readonly Word[]) =>
  words.map((value) => ({ value, label: sayWord(value, words) }))

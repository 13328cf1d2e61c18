import { html } from 'ghtml'
import type { Dictionary, Message } from './dictionary.ts'
import { dictionaries, type Locale } from './languages.ts'
import type { Page } from './layout.ts'
import { showMessage } from './elements.ts'

const messageOf = (words: Dictionary, status: number): Message => {
  if (status >= 500) return words.trouble
  if (status === 404) return words.unknownLink
  if (status === 408) return words.tooSlow
  if (status === 429) return words.tooMany
  return status === 403 ? words.foreignForm : words.badRequest
}

/** The page for a refused request. All addresses that open nothing get the same, so that none can be distinguished. */
export const showProblem = (locale: Locale, status: number): Page => {
  const message = messageOf(dictionaries[locale], status)
  return {
    locale,
    title: message.heading,
    header: '',
    main: html`<main><section class="card">!${showMessage('stop', message)}</section></main>`,
  }
}

import { html } from 'ghtml'
import type { Dictionary } from './dictionary-en.ts'
import { dictionaries, type Locale } from './languages.ts'
import type { Page } from './layout.ts'
import { showMessage } from './elements.ts'

/** The refusals that a browser may meet. */
type ProblemName = keyof Dictionary['problems']

const names: Readonly<Record<number, ProblemName>> = {
  403: 'foreignForm',
  404: 'unknownLink',
  405: 'wrongMethod',
  408: 'tooSlow',
  413: 'tooLarge',
  415: 'wrongType',
  429: 'tooMany',
  503: 'busy',
}

const nameOf = (status: number): ProblemName => names[status] ?? (status >= 500 ? 'trouble' : 'badRequest')

/**
 * The page for a refused request; `path` is that of the payment's page, to which it leads back. All addresses that open
 * nothing get the same, so that none can be distinguished.
 */
export const showProblem = (locale: Locale, status: number, path?: string): Page => {
  const words: Dictionary = dictionaries[locale]
  const name = nameOf(status)
  const message = words.problems[name]
  const leadsBack = path !== undefined && name !== 'unknownLink' && name !== 'foreignForm'
  const back = leadsBack ? html`<p><a class="main" href="${path}">${words.backToPayment}</a></p>` : ''
  return {
    locale,
    title: message.heading,
    header: '',
    main: html`<main><section class="card">!${showMessage('stop', message)}!${back}</section></main>`,
  }
}

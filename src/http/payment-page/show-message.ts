import { html } from 'ghtml'
import type { Message } from './dictionary.ts'
import { icon } from './icons.ts'

/** What is wrong, above the field or button that it is about. */
export const showError = (text: string, id?: string): string =>
  html`<p class="wrong"!${id === undefined ? '' : html` id="${id}"`} role="alert">${text}</p>`

/** A heading with its icon and lines. */
export const showMessage = (sign: Parameters<typeof icon>[0], { heading, lines }: Message): string => html`
!${icon(sign)}
<h1 tabindex="-1">${heading}</h1>
!${lines.map((line) => html`<p>${line}</p>`)}`

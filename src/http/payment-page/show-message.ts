import { html } from 'ghtml'
import type { Message } from './dictionary.ts'
import { icon } from './icons.ts'

/** A heading with its sign and lines. */
export const showMessage = (sign: Parameters<typeof icon>[0], { heading, lines }: Message): string => html`
!${icon(sign)}
<h1 tabindex="-1">${heading}</h1>
!${lines.map((line) => html`<p>${line}</p>`)}`

import { html } from 'ghtml'
import type { PaymentMethod } from '../../rules/values/payment-method.ts'
import type { Message } from './message.ts'
import type { Locale } from './languages.ts'
import { formatPhone } from './formats.ts'
import type { PageView } from './page-view.ts'

const paths = {
  done: 'M5 12.5l4.5 4.5L19 7.5',
  wait: 'M12 3a9 9 0 110 18 9 9 0 010-18M12 7.5V12l3 2',
  part: 'M12 4a8 8 0 108 8h-8z',
  stop: 'M12 5.5v8M12 18h.01',
  close: 'M7.5 7.5l9 9M16.5 7.5l-9 9',
} as const

/** An icon next to a heading. It only repeats what the text says, so screen readers skip it. */
export const icon = (name: keyof typeof paths): string =>
  html`<svg class="icon icon-${name}" viewBox="0 0 24 24" aria-hidden="true"><path d="${paths[name]}"/></svg>`

/** An error message, above the field or button that it is about. */
export const showError = (text: string, id?: string): string =>
  html`<p class="wrong"!${id === undefined ? '' : html` id="${id}"`} role="alert">${text}</p>`

/** The choice of how to pay; empty if there is only one way. */
export const showMethodChoice = (
  words: PageView['words'],
  methods: readonly PaymentMethod[],
  chosen: PaymentMethod | undefined,
): string => {
  if (methods.length < 2) return ''
  const options = methods.map(
    (method) =>
      html`<label class="tile"><input type="radio" name="method" value="${method}"!${method === chosen ? ' checked' : ''}><span>${words.methods[method].name}</span></label>`,
  )
  return html`<fieldset><legend>${words.details.method}</legend><div class="tiles wide">!${options}</div></fieldset>`
}

/** A heading with its icon and lines. */
export const showMessage = (sign: Parameters<typeof icon>[0], { heading, lines }: Message): string => html`
!${icon(sign)}
<h1 tabindex="-1">${heading}</h1>
!${lines.map((line) => html`<p>${line}</p>`)}`

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

/** How to reach the merchant's support; empty if it has set nothing. */
export const showSupport = ({ words, merchant }: Pick<PageView, 'words' | 'merchant'>): string => {
  const { supportEmail, supportPhone, supportLink, supportMessenger } = merchant.settings
  const { support } = words
  const links = [
    supportMessenger === null ? undefined : [supportMessenger, support.messenger],
    supportPhone === null ? undefined : [`tel:${supportPhone}`, formatPhone(supportPhone)],
    supportEmail === null
      ? undefined
      : [`mailto:${encodeURIComponent(supportEmail).replace('%40', '@')}`, supportEmail],
    supportLink === null ? undefined : [supportLink, support.link],
  ].filter((link) => link !== undefined) as [address: string, label: string][]
  if (links.length === 0) return ''
  return html`<div class="support"><p>${support.heading}</p>
<p>!${links.map(([address, label]) => html`<a href="${address}">${label}</a> `)}</p></div>`
}

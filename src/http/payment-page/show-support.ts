import { html } from 'ghtml'
import { formatPhone } from './formats.ts'
import type { PageView } from './page-view.ts'

/** How to reach the merchant's support; empty where it has set nothing. */
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

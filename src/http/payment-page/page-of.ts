import { html } from 'ghtml'
import type { Page } from './layout.ts'
import type { PageView } from './page-view.ts'

/** What the pages of a merchant have in common. */
type Branded = Pick<PageView, 'words' | 'merchant' | 'brand' | 'locale' | 'path'>

// At its ratio, a wordmark up to five times as wide as high; the space is there before the picture.
const showLogo = ({ path, width, height }: NonNullable<PageView['brand']['logo']>): string => {
  const size = width === null || height === null ? '' : html` width="${width}" height="${height}"`
  return html`<img class="logo" src="${path}"!${size} alt="">`
}

// Whom the money is for: the merchant's logo, or the first letter of its name.
const showHeader = ({ words, merchant, brand }: Branded): string => html`
!${
  brand.logo === undefined
    ? html`<span class="mark" aria-hidden="true">${[...merchant.name][0]?.toLocaleUpperCase()}</span>`
    : showLogo(brand.logo)
}
<p class="shop"><span>${words.payee}</span> <b>${merchant.name}</b></p>`

/** The banner of sandbox payments; empty for live ones. */
export const showTestMode = ({ merchant, words }: Pick<PageView, 'merchant' | 'words'>): string =>
  merchant.mode === 'sandbox' ? html`<p class="test">${words.testMode}</p>` : ''

/** A page of a payment or link, in the merchant's name and colour. */
export const pageOf = (view: Branded, title: string, main: string): Page => ({
  locale: view.locale,
  title,
  path: view.path,
  accent: view.brand.accent,
  header: showHeader(view),
  main,
})

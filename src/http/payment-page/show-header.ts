import { html } from 'ghtml'
import type { PageView } from './page-view.ts'

/** Whom the money is for: the merchant's logo, or the first letter of its name. */
export const showHeader = ({ words, merchant, brand }: PageView): string => html`
!${
  brand.logo === undefined
    ? html`<span class="mark" aria-hidden="true">${[...merchant.name][0]?.toLocaleUpperCase()}</span>`
    : html`<img class="logo" src="${brand.logo}" alt="">`
}
<p class="shop"><span>${words.payee}</span> <b>${merchant.name}</b></p>`

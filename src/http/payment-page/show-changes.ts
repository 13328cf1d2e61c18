import { html } from 'ghtml'
import type { DetailsErrors } from './form-errors.ts'
import type { Page } from './layout.ts'
import { pageOf, showTestMode } from './page-of.ts'
import type { PageView } from './page-view.ts'
import { showPayerFields } from './show-details.ts'

const titled = (view: PageView, heading: string, content: string): Page => {
  const main = html`<main>
!${showTestMode(view)}
<section class="card">
<h1 tabindex="-1">${heading}</h1>
!${content}
</section>
</main>`
  return pageOf(view, `${heading} · ${view.words.title(view.merchant.name)}`, main)
}

/** The page on which the payer corrects its phone and bank. */
export const showChange = (view: PageView, errors: DetailsErrors | undefined): Page => {
  const { change, backToPayment } = view.words
  return titled(
    view,
    change.heading,
    html`<p>${change.note}</p>
<form method="post" action="${view.path()}/change">
!${showPayerFields(view, errors)}
<button class="main">${change.submit}</button>
</form>
<p><a class="quiet" href="${view.path()}">${backToPayment}</a></p>`,
  )
}

/** The page that asks whether to cancel. */
export const showCancel = (view: PageView): Page => {
  const { cancel } = view.words
  return titled(
    view,
    cancel.heading,
    html`!${cancel.lines.map((line) => html`<p>${line}</p>`)}
<p><a class="main" href="${view.path()}">${cancel.keep}</a></p>
<form method="post" action="${view.path()}/cancel"><button>${cancel.submit}</button></form>`,
  )
}

import { html } from 'ghtml'
import type { Page } from './layout.ts'
import { pollMs } from './page-state.ts'
import { type PageView, pageTag } from './page-view.ts'
import { showDetails, type WrongDetails } from './show-details.ts'
import { showOutcome } from './show-outcome.ts'
import { showChecking, showPart, showPay } from './show-pay.ts'
import { showSimulator } from './show-simulator.ts'

const showState = (view: PageView, wrong: WrongDetails | undefined): string => {
  switch (view.state) {
    case 'details':
      return showDetails(view, wrong)
    case 'pay':
      return showPay(view)
    case 'checking':
      return showChecking(view)
    case 'part':
      return showPart(view)
    default:
      return showOutcome(view, view.state)
  }
}

/** The page of a payment in its present state; `wrong` is what the payer has to correct. */
export const showPage = (view: PageView, wrong?: WrongDetails): Page => {
  const { locale, words, merchant, payment, state } = view
  return {
    locale,
    title: words.title(merchant.name),
    path: view.path,
    header: html`<p class="shop"><span>${words.payee}</span> <b>${merchant.name}</b></p>`,
    main: html`<main data-page="${view.path()}" data-tag="${pageTag(view)}" data-poll="${pollMs(state)}">
!${merchant.mode === 'sandbox' ? html`<p class="test">${words.testMode}</p>` : ''}
<section class="card ${state}">!${showState(view, wrong)}</section>
!${showSimulator(view)}
<p class="order">${words.order} ${payment.orderId}</p>
</main>`,
  }
}

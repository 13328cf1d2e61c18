import { html } from 'ghtml'
import { icon } from './icons.ts'
import type { PageView } from './page-view.ts'
import { showAmount, showRequisite, showSteps, showTimeLeft } from './show-requisite.ts'

const checkStatus = (view: PageView): string =>
  html`<p class="more"><a class="quiet" href="${view.path()}">${view.words.checkStatus}</a></p>`

/** State 2: amount, requisite, time left and "I have paid". */
export const showPay = (view: PageView): string => {
  const { pay } = view.words
  return html`
<h1 tabindex="-1">${pay.heading}</h1>
!${showTimeLeft(view)}
!${showAmount(view, view.money(view.payment.amount), pay.amount, pay.exactly)}
!${showRequisite(view)}
!${showSteps(view)}
<form method="post" action="${view.path()}/claim">
<button class="main" aria-describedby="claim-note">${pay.claim}</button>
<p class="hint" id="claim-note">${pay.claimNote}</p>
</form>
!${checkStatus(view)}`
}

/** State 3: the payer says that it has paid and no money is there; the requisite stays at hand while there is time. */
export const showChecking = (view: PageView): string => {
  const { words, payment, now } = view
  const inTime = now < payment.expiredAt
  return html`
!${icon('wait')}
<h1 tabindex="-1">${words.checking.heading}</h1>
!${words.checking.lines.map((line) => html`<p>${line}</p>`)}
<p class="sum"><span>${words.pay.amount}</span> <b>${view.money(payment.amount).shown}</b></p>
!${
    inTime
      ? html`<details><summary>${words.checking.notSent}</summary>
!${showTimeLeft(view)}
!${showAmount(view, view.money(payment.amount), words.pay.amount, words.pay.exactly)}
!${showRequisite(view)}</details>`
      : ''
  }
!${checkStatus(view)}`
}

/** State 4: part of the money is there; how much is missing, and where it goes. */
export const showPart = (view: PageView): string => {
  const { words, payment } = view
  const missing = view.money(payment.amount - payment.received)
  return html`
!${icon('wait')}
<h1 tabindex="-1">${words.part.heading}</h1>
<p>${words.part.received(view.money(payment.received).shown, view.money(payment.amount).shown)}</p>
!${showTimeLeft(view)}
!${showAmount(view, missing, words.part.missing, words.part.exactly)}
!${showRequisite(view)}
!${showSteps(view)}
!${checkStatus(view)}`
}

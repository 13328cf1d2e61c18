import { html } from 'ghtml'
import { icon } from './icons.ts'
import type { PageView } from './page-view.ts'
import { showBankLinks } from './show-banks.ts'
import { showAmount, showCode, showPhoneCode, showRequisite, showSteps, showTimeLeft } from './show-requisite.ts'
import { showReceiptForm } from './show-proof.ts'

/** What is said while the page waits: with the script it updates itself, without there is a link. */
export const showWaiting = (view: PageView): string => html`
<p class="live" data-offline="${view.words.offline}">${view.words.live}</p>
<p class="check"><a class="quiet" href="${view.path()}">${view.words.checkStatus}</a></p>`

/** The way back to the shop: the next step once a payment is closed, else one that nobody has to take. */
export const showBack = ({ returnUrl, words, merchant }: PageView, isMain: boolean): string =>
  returnUrl === undefined
    ? ''
    : html`<p><a class="${isMain ? 'main' : 'quiet'}" href="${returnUrl}">${words.backToShop(merchant.name)}</a></p>`

/** The way to another method, where the merchant offers two. */
const showSwitch = (view: PageView): string => {
  const { otherMethod, words } = view
  if (otherMethod === undefined) return ''
  return html`<form method="post" action="${view.path()}/method">
<button class="quiet" name="method" value="${otherMethod}">${words.pay.switchTo(words.methods[otherMethod])}</button>
</form>`
}

/** State 2: amount, requisite, time left and "I have paid". */
export const showPay = (view: PageView, switchFailed: boolean): string => {
  const { pay, methods } = view.words
  const requisite = view.requisite()
  return html`
<h1 tabindex="-1">${pay.heading}</h1>
!${showTimeLeft(view, view.words.expired)}
!${switchFailed && view.otherMethod ? html`<p class="wrong" role="alert">${pay.switchFailed(methods[view.otherMethod])}</p>` : ''}
!${showAmount(view, view.money(view.payment.amount), pay.amount, pay.exactly)}
!${showRequisite(view, requisite)}
!${showBankLinks(view)}
<form method="post" action="${view.path()}/claim">
<button class="main" aria-describedby="claim-note">${pay.claim}</button>
<p class="hint" id="claim-note">${pay.claimNote}</p>
</form>
<div class="more">!${showSteps(view)}!${showCode(view, requisite)}</div>
!${showSwitch(view)}
!${showWaiting(view)}
!${showPhoneCode(view)}`
}

/** State 3: the payer says that it has paid and no money is there; the requisite stays at hand while there is time. */
export const showChecking = (view: PageView, wrongReceipt: boolean): string => {
  const { words, payment, now } = view
  const { checking, pay } = words
  const again = (): string => html`<details>
<summary>${checking.notSent}</summary>
!${showTimeLeft(view)}
!${showAmount(view, view.money(payment.amount), pay.amount, pay.exactly)}
!${showRequisite(view, view.requisite())}
</details>`
  return html`
!${icon('wait')}
<h1 tabindex="-1">${checking.heading}</h1>
!${checking.lines.map((line) => html`<p>${line}</p>`)}
!${now < payment.expiredAt ? '' : html`<p><b>${checking.tooLate}</b></p>`}
<p class="sum"><span>${checking.amount}</span> <b>${view.money(payment.amount).shown}</b></p>
<div class="more">!${now < payment.expiredAt ? again() : ''}!${showReceiptForm(view, wrongReceipt)}</div>
!${showBack(view, false)}
!${showWaiting(view)}`
}

/** State 4: part of the money is there; how much is missing, and where it goes. */
export const showPart = (view: PageView): string => {
  const { words, payment, money } = view
  const missing = view.money(payment.amount - payment.received)
  const requisite = view.requisite()
  return html`
!${icon('part')}
<h1 tabindex="-1">${words.part.heading}</h1>
<p>${words.part.received(view.money(payment.received).shown, view.money(payment.amount).shown)}</p>
!${showTimeLeft(view, words.partOver(money(payment.received).shown, money(payment.amount).shown))}
!${showAmount(view, missing, words.part.missing, words.part.exactly)}
!${showRequisite(view, requisite)}
!${showBankLinks(view)}
<div class="more">!${showSteps(view)}!${showCode(view, requisite)}</div>
<p>${words.part.rest}</p>
!${showBack(view, false)}
!${showWaiting(view)}`
}

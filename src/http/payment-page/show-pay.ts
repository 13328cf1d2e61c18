import { html } from 'ghtml'
import { mayCancel, mayChangePayer } from '../../rules/payments/payment.ts'
import { icon, langOf, showError, showMessage, showNamed, showSupport } from './elements.ts'
import type { ReceiptError } from './form-errors.ts'
import type { PageView, ShownRequisite } from './page-view.ts'
import { showBankLinks } from './show-banks.ts'
import {
  showAmount,
  showCode,
  showPhoneCode,
  showRequisite,
  showSbpLink,
  showScanned,
  showSteps,
  showTimeLeft,
} from './show-requisite.ts'
import { showReceiptForm } from './show-proof.ts'

/** Shown while the page waits: with the script it updates automatically, without the script there is a link. */
export const showWaiting = (view: PageView): string => html`
<p class="live">${view.words.live}</p>
<p class="check"><a class="quiet" href="${view.path()}">${view.words.checkStatus}</a></p>`

/** A line that appears only while there is no connection. */
export const showQuietly = (): string => html`<p class="live" data-live="" hidden></p>`

/** The link back to the shop: the main one once the payment is closed. */
export const showBack = ({ returnUrl, words, merchant }: PageView, isMain: boolean): string =>
  returnUrl === undefined
    ? ''
    : html`<p!${isMain ? '' : ' class="aside"'}><a!${isMain ? ' class="main"' : ''} href="${returnUrl}">${words.backToShop(merchant.name)}</a></p>`

/** What the payer pays from, with a link to correct it while that is possible. */
const showSource = (view: PageView): string => {
  const { payment, words, payerBank, locale } = view
  if (payment.type !== 'staged' || payment.sourcePan === '') return ''
  const digits = payment.sourcePan.slice(-4)
  const number = `•••\u{a0}${digits.slice(0, 2)}\u{a0}${digits.slice(2)}`
  const source = payerBank ? `${number}, ${payerBank.name}` : number
  const link = mayChangePayer(payment, view.now) ? html` <a href="payment-sbp/change">${words.pay.change}</a>` : ''
  return html`<p class="source"><span!${payerBank ? langOf(locale, payerBank.name) : ''}>${words.pay.payingFrom(source)}</span>!${link}</p>`
}

/** The link to the question whether to cancel, while that is possible. */
export const showCancelLink = ({ payment, now, words }: PageView): string =>
  mayCancel(payment, now) ? html`<p class="aside"><a href="payment-sbp/cancel">${words.cancel.link}</a></p>` : ''

/** The button for another method, if the merchant offers two. */
const showSwitch = (view: PageView): string => {
  const { otherMethod, words } = view
  if (otherMethod === undefined) return ''
  return html`<form method="post" action="payment-sbp/method">
<button class="quiet" name="method" value="${otherMethod}">${words.pay.switchTo(words.methods[otherMethod].name)}</button>
</form>`
}

/**
 * What to do next: open the bank, then say that the transfer has been sent. That is the main button only after the script
 * has seen that something was copied or opened.
 */
const showNext = (view: PageView, { sbpLink }: ShownRequisite): string => {
  const { pay } = view.words
  const { links, isAll } = view.bankLinks('')
  const [link] = links
  const isOne = link !== undefined && links.length === 1 && isAll
  const openOne = isOne
    ? html`<p><a class="main" data-first href="${link.url}">!${showNamed(view.locale, pay.openBank(link.bank), link.bank)}</a></p>`
    : showBankLinks(view)
  return html`!${sbpLink === undefined ? openOne : ''}
<form method="post" action="payment-sbp/claim">
<button data-then aria-describedby="claim-note">${pay.claim}</button>
<p class="hint" id="claim-note">${pay.claimNote}</p>
</form>`
}

/** State `pay`: amount, requisite, time left and "I have paid". */
export const showPay = (view: PageView, switchFailed: boolean): string => {
  const { pay, methods } = view.words
  const requisite = view.requisite()
  return html`
<h1 tabindex="-1">${pay.heading}</h1>
!${showTimeLeft(view, view.words.expired)}
!${switchFailed && view.otherMethod ? showError(pay.switchFailed(methods[view.otherMethod].name)) : ''}
!${showScanned(view, requisite)}
!${showAmount(view, view.money(view.payment.amount), pay.amount, pay.exactly)}
!${showSbpLink(view, requisite)}
!${showRequisite(view, requisite)}
!${showNext(view, requisite)}
!${showSteps(view)}
!${showSource(view)}
<div class="more">!${showCode(view, requisite)}</div>
!${showSwitch(view)}
!${showBack(view, false)}
!${showCancelLink(view)}
!${showWaiting(view)}
!${requisite.code === undefined && requisite.sbpLink === undefined ? showPhoneCode(view) : ''}`
}

/**
 * State `checking`: the payer claims to have paid, but no money has arrived; the requisite stays available while there
 * is time.
 */
export const showChecking = (view: PageView, wrongReceipt: ReceiptError | undefined): string => {
  const { words, payment, now } = view
  const { checking, pay } = words
  const again = (): string => html`<details>
<summary>${checking.notSent}</summary>
!${showTimeLeft(view)}
!${showAmount(view, view.money(payment.amount), pay.amount, pay.exactly)}
!${showRequisite(view, view.requisite())}
!${showCancelLink(view)}
</details>`
  return html`
!${showMessage('wait', checking)}
!${now < payment.expiredAt ? '' : html`<p><b>${checking.tooLate}</b></p>!${showSupport(view)}`}
<p class="sum"><span>${checking.amount}</span> <b>${view.money(payment.amount).shown}</b></p>
<div class="more">!${now < payment.expiredAt ? again() : ''}!${showReceiptForm(view, wrongReceipt)}</div>
!${showBack(view, false)}
!${showWaiting(view)}`
}

/** State `part`: part of the money has arrived; how much is missing, and where to send it. */
export const showPart = (view: PageView): string => {
  const { words, payment, money } = view
  const missing = money(payment.amount - payment.received)
  const [received, amount] = [money(payment.received).shown, money(payment.amount).shown]
  const requisite = view.requisite()
  return html`
!${icon('part')}
<h1 tabindex="-1">${words.part.heading}</h1>
<p>${words.part.received(received, amount)}</p>
!${showTimeLeft(view, words.partOver(received, amount, missing.shown))}
!${showScanned(view, requisite)}
!${showAmount(view, missing, words.part.missing, words.part.exactly)}
!${showSbpLink(view, requisite)}
!${showRequisite(view, requisite)}
!${showSteps(view)}
!${requisite.sbpLink === undefined ? showBankLinks(view) : ''}
<div class="more">!${showCode(view, requisite)}</div>
<p>${words.part.rest}</p>
!${showBack(view, false)}
!${showWaiting(view)}`
}

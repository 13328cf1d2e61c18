import { html } from 'ghtml'
import { minute } from '../../domain/time.ts'
import { type Copyable, formatClock, formatLeft, formatUnit } from './formats.ts'
import { icon, langOf, showMessage, showNamed } from './elements.ts'
import type { Message } from './dictionary.ts'
import type { PageView, ShownRequisite } from './page-view.ts'

/** A button that copies a value; visible only where the script runs. */
const copyButton = ({ words }: PageView, value: string, label: string): string =>
  html`<button class="copy" type="button" aria-label="${label}" data-copy="${value}">!${icon('copy')}<span>${words.copy}</span></button>`

/** CSS class of a large amount: the longer it is, the smaller its type, so that it stays on one line of a narrow screen. */
export const amountClass = ({ shown: { length } }: Copyable): string =>
  length > 13 ? 'big longer' : length > 11 ? 'big long' : 'big'

/** The amount to transfer, large, with its copy button and the note that it must be exact. */
export const showAmount = (view: PageView, amount: Copyable, label: string, exactly: string): string => html`
<div class="amount">
<p class="label">${label}</p>
<p class="row"><data class="${amountClass(amount)}" value="${amount.machine}">${amount.shown}</data>!${copyButton(view, amount.machine, view.words.copyAmount)}</p>
<p class="exactly">${exactly}</p>
</div>`

/** Where the money goes: number, bank and holder, each with its copy button. */
export const showRequisite = (view: PageView, { number, bank, holder, isWholeHolder, bic }: ShownRequisite): string => {
  const { words, method, locale } = view
  const line = (title: string, value: string, machine: string, label: string, kind = ''): string =>
    html`<div!${kind}><dt>${title}</dt><dd class="row"><data value="${machine}"!${langOf(locale, value)}>${value}</data>!${label === '' ? '' : copyButton(view, machine, label)}</dd></div>`
  // A shortened name is for comparing only: a bank would not accept it.
  const holderLabel = isWholeHolder ? words.copyHolder : ''
  return html`
<dl>
!${line(words.methods[method].number, number.shown, number.machine, words.copyNumber, ' class="number"')}
!${line(words.pay.bank, bank, bank, words.copyBank)}
!${bic === undefined ? '' : line(words.pay.bic, bic, bic, words.copyBic)}
!${line(words.pay.holder, holder, holder, holderLabel)}
</dl>`
}

/** Minutes left at which screen readers announce the time. */
const announced = [5, 1]

/**
 * The time left to pay; the script counts it down from the milliseconds in the attribute. When it is over, the script
 * replaces everything that asks for money with `over`, even without a connection.
 */
export const showTimeLeft = ({ locale, words, payment, now, zone }: PageView, over?: Message): string => {
  const left = Math.max(0, payment.expiredAt - now)
  const moments = announced.map((minutes) => [minutes * minute, words.left(formatUnit(locale, minutes, 'minute'))])
  return html`<p class="left scripted">${words.timeLeft} <b role="timer" data-say="${JSON.stringify(moments)}" data-left="${left}">${formatLeft(left)}</b></p>
<p class="left until">${words.until(formatClock(locale, payment.expiredAt, zone))}</p>!${over ? html`<template>!${showMessage('stop', over)}</template>` : ''}`
}

/** The steps in the payer's bank: the operator's guide where there is one, else the general steps. */
export const showSteps = ({ words, locale, payerBank, method, state }: PageView): string => {
  const own = payerBank?.guide.steps[method]?.[locale]
  // The last of the general steps is a button that the page of a part does not have.
  const general = words.methods[method].steps
  const steps = own ?? (state === 'part' ? general.slice(0, -1) : general)
  return html`
<details>
<summary>!${own && payerBank ? showNamed(locale, words.pay.howIn(payerBank.name), payerBank.name) : words.pay.how}</summary>
<ol>!${steps.map((step) => html`<li>${step}</li>`)}</ol>
</details>`
}

/** The QR code of the transfer for apps of Russian banks (GOST R 56042). */
export const showCode = (view: PageView, { code }: ShownRequisite): string => {
  if (code === undefined) return ''
  const { pay } = view.words
  // The query changes with the amount: when part of the money has come, it is another picture.
  const address = `${view.path()}/code?${view.payment.received}`
  return html`
<details>
<summary>${pay.code}</summary>
<p>${pay.codeNote}</p>
<p><img class="code" src="${address}" alt="${pay.codeAlt}" width="240" height="240" loading="lazy"></p>
<p><a class="quiet" href="${address}" download="payment-code.png">${pay.saveCode}</a></p>
</details>`
}

/** On a large screen: the QR code that opens the page on the phone with the bank's app. */
export const showPhoneCode = (view: PageView): string => {
  const { pay } = view.words
  return html`
<aside class="phone">
<img class="code" src="${view.path()}/link" alt="${pay.onPhoneAlt}" width="144" height="144" loading="lazy">
<div><h2>${pay.onPhone}</h2><p class="hint">${pay.onPhoneNote}</p></div>
</aside>`
}

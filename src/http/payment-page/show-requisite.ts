import { html } from 'ghtml'
import { type Copyable, formatLeft } from './formats.ts'
import { icon } from './icons.ts'
import type { PageView } from './page-view.ts'

/** A button that copies the machine's form of a value; seen only where the script runs. */
export const copyButton = ({ words }: PageView, value: Copyable, label: string): string => html`
<button class="copy" type="button" aria-label="${label}" data-copy="${value.machine}" data-done="${words.copied}">!${icon('copy')}!${icon('done')}<span>${words.copy}</span></button>`

/** Class of a large amount: a long one is set smaller, so that it stays on one line of a narrow screen. */
export const amountClass = ({ shown }: Copyable): string => (shown.length > 11 ? 'big long' : 'big')

/** The amount to transfer, large, with its copy button and how strictly it is meant. */
export const showAmount = (view: PageView, amount: Copyable, label: string, exactly: string): string => html`
<div class="amount">
<p class="label">${label}</p>
<p class="${amountClass(amount)}"><data value="${amount.machine}">${amount.shown}</data>!${copyButton(view, amount, view.words.copyAmount)}</p>
<p class="exactly">${exactly}</p>
</div>`

/** Where the money goes: number, bank and holder. */
export const showRequisite = (view: PageView): string => {
  const { words, payment } = view
  const { number, bank, holder } = view.requisite()
  return html`
<dl>
<div class="number"><dt>${words.pay.number[payment.method]}</dt><dd><data value="${number.machine}">${number.shown}</data>!${copyButton(view, number, words.copyNumber)}</dd></div>
<div><dt>${words.pay.bank}</dt><dd>${bank}</dd></div>
<div><dt>${words.pay.holder}</dt><dd>${holder}</dd></div>
</dl>`
}

/** The time that is left to pay; the script counts it down from the milliseconds in the attribute. */
export const showTimeLeft = ({ words, payment, now }: PageView): string => {
  const left = Math.max(0, payment.expiredAt - now)
  return html`<p class="left">${words.timeLeft} <b role="timer" data-left="${left}">${formatLeft(left)}</b></p>`
}

/** The steps in the payer's own bank. */
export const showSteps = ({ words, payment }: PageView): string => html`
<details>
<summary>${words.pay.how}</summary>
<ol>!${words.pay.steps[payment.method].map((step) => html`<li>${step}</li>`)}</ol>
</details>`

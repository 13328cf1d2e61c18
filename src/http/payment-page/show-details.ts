import { html } from 'ghtml'
import type { PageView } from './page-view.ts'
import { examplePhone, maxPhoneLength } from './read-payer.ts'
import { amountClass, showTimeLeft } from './show-requisite.ts'

/** What the payer sent and we could not take. */
export type WrongDetails = { readonly phone: string; readonly bank: string }

/** State 1 of a staged payment: asks for the payer's phone and bank before the requisite is shown. */
export const showDetails = (view: PageView, wrong: WrongDetails | undefined): string => {
  const { words, payment } = view
  const { details } = words
  const amount = view.money(payment.amount)
  const example = examplePhone(view.country)
  const chosen = wrong?.bank ?? payment.bankIssuer
  const hint = example === undefined ? details.international : details.example(example)
  const options = view.banks.map(
    ({ code, name }) => html`<option value="${code}"!${code === chosen ? ' selected' : ''}>${name}</option>`,
  )
  return html`
<h1 tabindex="-1">${details.heading}</h1>
!${showTimeLeft(view)}
<div class="amount"><p class="label">${details.amount}</p><p class="${amountClass(amount)}">${amount.shown}</p></div>
<form method="post" action="${view.path()}/details">
<div class="field">
<label for="phone">${details.phone}</label>
!${wrong ? html`<p class="wrong" id="wrong" role="alert">${details.phoneWrong}</p>` : ''}
<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" required maxlength="${maxPhoneLength}" aria-describedby="!${wrong ? 'wrong ' : ''}hint why"!${wrong ? html` value="${wrong.phone}" aria-invalid="true" autofocus` : ''}>
<p class="hint" id="hint">${hint}</p>
<p class="hint" id="why">${details.why}</p>
</div>
<div class="field">
<label for="bank">${details.bank}</label>
<select id="bank" name="bank" aria-describedby="bank-why"><option value="">${details.anyBank}</option>!${options}</select>
<p class="hint" id="bank-why">${details.bankWhy}</p>
</div>
<button class="main">${details.submit}</button>
</form>`
}

import { html } from 'ghtml'
import { formatCountry } from './formats.ts'
import type { PageView } from './page-view.ts'
import { callingCode, examplePhone, maxPhoneLength } from './read-payer.ts'
import { showBankChoice } from './show-banks.ts'
import { amountClass, showTimeLeft } from './show-requisite.ts'

/** What the payer sent and we could not take. */
export type WrongDetails = {
  readonly phone: string
  readonly bank: string
  readonly country: string
  readonly method: string
  /** What was written to find a bank, and whether several have such a name. */
  readonly find: string
  readonly isSeveral: boolean
  /** Whether the phone is wrong, too. */
  readonly isPhone: boolean
}

const showMethods = (view: PageView, wrong: WrongDetails | undefined): string => {
  const { otherMethod, words, method } = view
  if (otherMethod === undefined) return ''
  const options = [method, otherMethod].map(
    (each) =>
      html`<label class="tile"><input type="radio" name="method" value="${each}"!${each === (wrong?.method || method) ? ' checked' : ''}><span>${words.methods[each]}</span></label>`,
  )
  return html`<fieldset><legend>${words.details.method}</legend><div class="tiles wide">!${options}</div></fieldset>`
}

/**
 * Countries of the banks that are there, with their codes: the operator's data, not a list of the whole world. Nothing
 * is chosen before, since a wrong country would make another number of the same digits.
 */
const showCountries = (view: PageView, wrong: WrongDetails | undefined): string => {
  if (view.country !== null) return ''
  const { details } = view.words
  const { compare } = new Intl.Collator(view.locale)
  const countries = [...new Set(view.banks().map((bank) => bank.country))]
    .map((code) => ({ code, name: `${formatCountry(view.locale, code)} ${callingCode(code)}`.trim() }))
    .toSorted((a, b) => compare(a.name, b.name))
  const first = { code: '', name: details.chooseCountry }
  const last = { code: 'other', name: details.otherCountry }
  const options = [first, ...countries, last].map(
    ({ code, name }) =>
      html`<option value="${code}"!${(wrong?.country ?? '') === code ? ' selected' : ''}>${name}</option>`,
  )
  return html`<div class="field">
<label for="country">${details.country}</label>
<select id="country" name="country">!${options}</select>
</div>`
}

const showPhone = (view: PageView, wrong: WrongDetails | undefined): string => {
  const { details } = view.words
  const example = examplePhone(view.country)
  const hint = example === undefined ? details.international : details.example(example)
  return html`<div class="field">
<label for="phone">${details.phone}</label>
!${wrong?.isPhone ? html`<p class="wrong" id="wrong" role="alert">${details.phoneWrong}</p>` : ''}
<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" required maxlength="${maxPhoneLength}" aria-describedby="!${wrong?.isPhone ? 'wrong ' : ''}hint why"!${wrong ? html` value="${wrong.phone}"` : ''}!${wrong?.isPhone ? ' aria-invalid="true" autofocus' : ''}>
<p class="hint" id="hint">${hint}</p>
<p class="hint" id="why">${details.why}</p>
</div>`
}

/** State 1 of a staged payment: asks for the payer's phone, bank and method before the requisite is shown. */
export const showDetails = (view: PageView, wrong: WrongDetails | undefined): string => {
  const { details } = view.words
  const amount = view.money(view.payment.amount)
  return html`
<h1 tabindex="-1">${details.heading}</h1>
!${showTimeLeft(view, view.words.expiredUnseen)}
<p class="sum"><span>${details.amount}</span> <b class="${amountClass(amount)}">${amount.shown}</b></p>
<form method="post" action="${view.path()}/details">
!${showMethods(view, wrong)}
!${showCountries(view, wrong)}
!${showPhone(view, wrong)}
!${showBankChoice(view, wrong?.find ?? '', wrong?.bank ?? view.payment.bankIssuer ?? '', wrong?.isSeveral ?? false)}
<button class="main">${details.submit}</button>
<p class="hint">${details.next}</p>
</form>`
}

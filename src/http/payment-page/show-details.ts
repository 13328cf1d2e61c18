import { html } from 'ghtml'
import type { DetailsErrors } from './form-errors.ts'
import { formatCountry } from './formats.ts'
import type { PageView } from './page-view.ts'
import { callingCode, examplePhone, hasExtension, maxNameLength, maxPhoneLength } from './read-payer.ts'
import { showBankChoice } from './show-banks.ts'
import { showError, showMethodChoice } from './elements.ts'
import { showBack, showCancelLink, showQuietly } from './show-pay.ts'
import { amountClass, showTimeLeft } from './show-requisite.ts'

const showMethods = ({ method, otherMethod, words }: PageView, errors: DetailsErrors | undefined): string => {
  const methods = otherMethod === undefined ? [method] : [method, otherMethod]
  return showMethodChoice(words, methods, methods.find((each) => each === errors?.method) ?? method)
}

/** The country whose currency is sent, as ISO 4217 names it: `rub` is that of `RU`. */
const countryOf = ({ payment, banks }: PageView): string => {
  const country = payment.currency.slice(0, 2).toUpperCase()
  return banks().some((bank) => bank.country === country) ? country : ''
}

/**
 * The countries of the operator's banks with their calling codes. Only that of the currency is preselected: with a wrong
 * country the same digits would be another number.
 */
const showCountries = (view: PageView, errors: DetailsErrors | undefined): string => {
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
      html`<option value="${code}"!${(errors?.country ?? countryOf(view)) === code ? ' selected' : ''}>${name}</option>`,
  )
  return html`<div class="field">
<label for="country">${details.country}</label>
<select id="country" name="country">!${options}</select>
</div>`
}

const showPhone = (view: PageView, errors: DetailsErrors | undefined): string => {
  const { details } = view.words
  const example = examplePhone(view.country)
  const hint = example === undefined ? details.international : details.example(example)
  // If the country is known, its code is filled in already.
  const filledIn = `${callingCode(view.country ?? countryOf(view))} `.trimStart()
  const typed = errors?.phone ?? filledIn
  const isMissing = ['', filledIn.trim()].includes(typed.trim())
  const wrong = isMissing ? details.phoneMissing : hasExtension(typed) ? details.phoneExtension : details.phoneWrong
  return html`<div class="field">
<label for="phone">${details.phone}</label>
!${errors?.isPhoneWrong ? showError(wrong, 'wrong') : ''}
<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" required maxlength="${maxPhoneLength}" aria-describedby="!${errors?.isPhoneWrong ? 'wrong ' : ''}hint why" value="${typed}"!${errors?.isPhoneWrong ? ' aria-invalid="true" autofocus' : ''}>
<p class="hint" id="hint">${hint}</p>
<p class="hint" id="why">${details.why}</p>
</div>`
}

const showName = (view: PageView, errors: DetailsErrors | undefined): string => {
  if (!view.asksName) return ''
  const { details } = view.words
  const isWrong = errors?.isNameWrong ?? false
  return html`<div class="field">
<label for="name">${details.name}</label>
!${isWrong ? showError(details.nameWrong, 'wrong-name') : ''}
<input id="name" name="name" autocomplete="name" required maxlength="${maxNameLength}" aria-describedby="!${isWrong ? 'wrong-name ' : ''}name-hint name-why" value="${errors?.name ?? ''}"!${isWrong ? ' aria-invalid="true"' : ''}!${isWrong && !errors?.isPhoneWrong ? ' autofocus' : ''}>
<p class="hint" id="name-hint">${details.nameHint}</p>
<p class="hint" id="name-why">${details.nameWhy}</p>
</div>`
}

/** The fields about the payer: country, phone and bank, and the name where it distinguishes equal amounts. */
export const showPayerFields = (view: PageView, errors: DetailsErrors | undefined): string => {
  const bank = errors?.bank ?? view.payment.payerBank ?? view.payment.bankIssuer ?? ''
  return html`!${showCountries(view, errors)}
!${showPhone(view, errors)}!${showName(view, errors)}
!${showBankChoice(view, errors?.find ?? '', bank, errors?.isAmbiguous ?? false)}`
}

/** State `details` of a staged payment: asks for the payer's phone, bank and method before the requisite is shown. */
export const showDetails = (view: PageView, errors: DetailsErrors | undefined): string => {
  const { details } = view.words
  const amount = view.money(view.payment.amount)
  return html`
<h1 tabindex="-1">${details.heading}</h1>
!${showTimeLeft(view, view.words.expiredUnseen)}
<p class="sum"><span>${details.amount}</span> <b class="${amountClass(amount)}">${amount.shown}</b></p>
<form method="post" action="payment-sbp/details">
!${showMethods(view, errors)}
!${showPayerFields(view, errors)}
<button class="main">${details.submit}</button>
<p class="hint">${details.next}</p>
</form>
!${showBack(view, false)}
!${showCancelLink(view)}
!${showQuietly()}`
}

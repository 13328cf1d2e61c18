import { html } from 'ghtml'
import { minute } from '../../rules/time.ts'
import { type MethodRules, methodRules } from '../../rules/values/payment-method.ts'
import {
  type Copyable,
  formatAbroad,
  formatClock,
  formatCountry,
  formatCurrency,
  formatLeft,
  formatUnit,
  groupDigits,
  remember,
} from './formats.ts'
import { langOf, showMessage, showNamed } from './elements.ts'
import type { Message } from './message.ts'
import { dictionaries, type Locale } from './languages.ts'
import type { PageView, ShownOrder, ShownRequisite } from './page-view.ts'

/** A button that copies a value; visible only where the script runs. It is in no form, so it needs no type. */
const copyButton = ({ words }: PageView, value: string, label: string): string =>
  html`<button class="copy" aria-label="${label}" data-copy="${value}"><span>${words.copy}</span></button>`

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

/** One thing to enter or to compare in the bank's app; without `copy` it is only compared. */
type Row = {
  readonly label: string
  readonly value: string
  readonly machine?: string
  readonly copy?: string
  readonly kind?: 'number'
}

/** The rows of a payment order: the names of its fields are those of banks' forms. */
const orderRows = (
  { words, method }: PageView,
  { number, bank, holder }: ShownRequisite,
  { inn, kpp, bic, correspondentAccount, purpose }: ShownOrder,
): Row[] => {
  const { transfer } = words
  const row = (label: string, machine: string | null, show = (text: string): string => text): Row[] =>
    machine === null ? [] : [{ label, machine, value: show(machine), copy: transfer.copyField(label) }]
  return [
    { label: transfer.recipient, value: holder, copy: transfer.copyField(transfer.recipient) },
    ...row(transfer.inn, inn),
    ...row(transfer.kpp, kpp),
    {
      label: words.methods[method].number,
      value: number.shown,
      machine: number.machine,
      copy: words.copyNumber,
      kind: 'number',
    },
    { label: transfer.bankName, value: bank.shown, machine: bank.machine, copy: words.copyBank },
    ...row(words.pay.bic, bic),
    ...row(transfer.correspondentAccount, correspondentAccount, groupDigits),
    ...row(transfer.purpose, purpose),
  ]
}

/** The steps of a transfer, in the order in which the apps of banks ask. */
const stepRows = (
  view: PageView,
  { number, bank, holder, country }: ShownRequisite,
  amount: Copyable,
): readonly Row[] => {
  const { words, method, locale } = view
  const { transfer } = words
  const numberRow = (label = words.methods[method].number, value = number.shown): Row => ({
    ...{ label, value, machine: number.machine, copy: words.copyNumber, kind: 'number' },
  })
  const bankRow: Row = { label: transfer.bank, value: bank.shown, machine: bank.machine, copy: words.copyBank }
  const amountRow: Row = {
    ...amount,
    label: transfer.amount,
    value: amount.shown,
    copy: transfer.copyField(transfer.sum),
  }
  const nameRow: Row = { label: transfer.name, value: holder }
  const codeRows: Row[] =
    view.code === undefined ? [] : [{ label: transfer.code, value: view.code, copy: words.copyCode }]
  const abroad = country === undefined ? undefined : { country, ...formatAbroad(number.machine) }
  const rows: Readonly<Record<MethodRules['numberKind'], readonly Row[]>> = {
    card: [numberRow(), amountRow, { label: transfer.cardBank, value: bank.shown }, nameRow],
    account: [
      bankRow,
      numberRow(),
      { label: transfer.recipient, value: holder, copy: transfer.copyField(transfer.recipient) },
      amountRow,
    ],
    phone: abroad
      ? [
          { label: transfer.country, value: formatCountry(locale, abroad.country) },
          numberRow(transfer.phoneAbroad(abroad.code), abroad.national),
          ...[bankRow, amountRow, nameRow],
        ]
      : [bankRow, numberRow(), amountRow, nameRow],
  }
  return [...rows[methodRules[method].numberKind], ...codeRows]
}

/** Where the money goes: each row is copied by a press on it, in the order in which the bank's app asks. */
export const showRequisite = (view: PageView, requisite: ShownRequisite): string => {
  const { words, locale, payment, money } = view
  const amount = money(payment.amount - payment.received)
  const { order, country } = requisite
  const rows = order ? orderRows(view, requisite, order) : stepRows(view, requisite, amount)
  const abroad =
    country === undefined ? '' : words.transfer.abroad(formatCurrency(locale, payment.currency), amount.shown)
  return html`
<dl class="${order ? 'rows' : 'rows steps'}" id="steps">!${rows.map(
    ({ label, value, machine = value, copy, kind }) =>
      html`<div!${kind ? html` class="${kind}"` : ''}><dt>${label}</dt><dd class="row"><data value="${machine}"!${langOf(locale, value)}>${value}</data>!${copy === undefined ? '' : copyButton(view, machine, copy)}</dd></div>`,
  )}</dl>!${abroad === '' ? '' : html`<p class="hint">${abroad}</p>`}`
}

/** Minutes left at which screen readers announce the time. */
const announced = [5, 1]

// As JSON, which the script reads.
const announcements = remember((locale: Locale) =>
  JSON.stringify(
    announced.map((minutes) => [minutes * minute, dictionaries[locale].left(formatUnit(locale, minutes, 'minute'))]),
  ),
)

/**
 * The time left to pay; the script counts it down from the milliseconds in the attribute. When it is over, the script
 * replaces everything that asks for money with `over`, even without a connection.
 */
export const showTimeLeft = ({ locale, words, payment, now, zone }: PageView, over?: Message): string => {
  const left = Math.max(0, payment.expiredAt - now)
  return html`<p class="left scripted">${words.timeLeft} <b role="timer" data-say="${announcements(locale)}" data-left="${left}">${formatLeft(left)}</b></p>
<p class="left until">${words.until(formatClock(locale, payment.expiredAt, zone))}</p>!${over ? html`<template>!${showMessage('stop', over)}</template>` : ''}`
}

/** The operator's guide for the payer's bank, if there is one. */
export const showSteps = ({ words, locale, payerBank, method }: PageView): string => {
  const own = payerBank?.guide.steps[method]?.[locale]
  if (!own || !payerBank) return ''
  return html`<section class="guide">
<h2>!${showNamed(locale, words.pay.howIn(payerBank.name), payerBank.name)}</h2>
<ol>!${own.map((step) => html`<li>${step}</li>`)}</ol>
</section>`
}

// The query changes with the amount: when part of the money has arrived, the picture is another one.
const codeAddress = (view: PageView): string => `payment-sbp/code?${view.payment.received}`

/** On a phone: the QR code of the transfer (GOST R 56042), to be saved and opened in the bank's app. */
export const showCode = (view: PageView, { code }: ShownRequisite): string => {
  if (code === undefined) return ''
  const { pay } = view.words
  const address = codeAddress(view)
  return html`
<details class="on-phone">
<summary>${pay.code}</summary>
<p>${pay.codeNote}</p>
<p><img class="code" src="${address}" alt="${pay.codeAlt}" width="240" height="240" loading="lazy"></p>
<p><a class="quiet" href="${address}" download="payment-code.png">${pay.saveCode}</a></p>
</details>`
}

/** On a large screen, before the details: the same code, open, for the camera of the bank's app. */
export const showScanned = (view: PageView, { code, sbpLink }: ShownRequisite): string => {
  if (code === undefined && sbpLink === undefined) return ''
  const { pay, transfer } = view.words
  const how = code === undefined ? `${pay.scanSbp} ${pay.sbpNote(leftToPay(view))}` : transfer.scan
  return html`
<section class="scan">
<img class="code" src="${codeAddress(view)}" alt="${pay.codeAlt}" width="200" height="200" loading="lazy">
<div><h2>${pay.code}</h2><p>${how}</p></div>
</section>`
}

const leftToPay = ({ payment, money }: PageView): string => money(payment.amount - payment.received).shown

/** On a phone, before the details: the recipient's SBP link, which opens in the payer's bank. */
export const showSbpLink = (view: PageView, { sbpLink }: ShownRequisite): string => {
  if (sbpLink === undefined) return ''
  const { words, method } = view
  return html`
<div class="field on-phone"><p><a class="main" data-first href="${sbpLink}">${words.pay.openSbp}</a></p>
<p class="hint">${words.pay.sbpNote(leftToPay(view))}</p></div>
<h2>${words.methods[method].name}</h2>`
}

/** On a large screen: the QR code that opens the page on the phone with the bank's app. */
export const showPhoneCode = (view: PageView): string => {
  const { pay } = view.words
  return html`
<aside class="phone">
<img class="code" src="payment-sbp/link" alt="${pay.onPhoneAlt}" width="144" height="144" loading="lazy">
<div><h2>${pay.onPhone}</h2><p class="hint">${pay.onPhoneNote}</p></div>
</aside>`
}

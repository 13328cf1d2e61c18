import { html } from 'ghtml'
import { maxReceiptBytes, maxReceipts, receiptTypes } from '../../rules/payments/receipt.ts'
import type { ClaimErrors, ClaimField, ReceiptError } from './form-errors.ts'
import { formatUnit, zoneName } from './formats.ts'
import type { PageView } from './page-view.ts'
import { showError } from './elements.ts'

const sizeLimit = ({ locale }: PageView): string => formatUnit(locale, maxReceiptBytes / 1024 / 1024, 'megabyte')

const fileField = (view: PageView, label: string, error: ReceiptError | undefined, isRequired: boolean): string => {
  const { receipts } = view.words
  const size = sizeLimit(view)
  const described = `${error ? 'receipt-wrong ' : ''}receipt-note`
  const errors = { ...receipts, tooLarge: receipts.tooLarge(size) }
  return html`<div class="field">
<label for="receipt">${label}</label>
!${error ? showError(errors[error], 'receipt-wrong') : ''}
<input id="receipt" name="receipt" type="file" accept="${receiptTypes.join(',')},.heic,.heif" aria-describedby="${described}"!${error ? ' aria-invalid="true"' : ''}!${isRequired ? ' required' : ''} data-max="${maxReceiptBytes}" data-large="${errors.tooLarge}" data-type="${errors.wrongType}">
<p class="hint" id="receipt-note">${receipts.note(size, String(maxReceipts))}</p>
</div>`
}

/** The form for a receipt of the payer's bank, while the money is looked for. */
export const showReceiptForm = (view: PageView, error: ReceiptError | undefined): string => {
  const { receipts } = view.words
  const isSent = view.payment.receiptAt !== null
  if (view.receipts >= maxReceipts) return html`<p class="sent">${receipts.full}</p>`
  return html`!${isSent ? html`<p class="sent">${receipts.sent}</p>` : ''}
<details!${error ? ' open' : ''}>
<summary>${receipts.summary}</summary>
<form method="post" action="payment-sbp/receipt" enctype="multipart/form-data">
!${fileField(view, receipts.file, error, true)}
<button>${receipts.submit}</button>
</form>
</details>`
}

/** The form of a payer who claims to have paid before the payment was closed. */
export const showClaimForm = (view: PageView, errors: ClaimErrors | undefined): string => {
  const { claim } = view.words
  const { payment, zone } = view
  const isWrong = (field: ClaimField): boolean => errors?.fields.includes(field) ?? false
  const field = (name: 'amount' | 'paidAt', label: string, message: string, attributes: string): string => {
    const bad = isWrong(name)
    return html`<div class="field">
<label for="${name}"!${name === 'paidAt' ? html` data-local="${claim.paidAtLocal}"` : ''}>${label}</label>
!${bad ? showError(message, `${name}-wrong`) : ''}
<input id="${name}" name="${name}" required !${attributes}!${bad ? html` aria-invalid="true" aria-describedby="${name}-wrong"` : ''}>
</div>`
  }
  const amount = errors?.amount ?? view.money(payment.amount).machine
  // No bounds: the payer's clock may be in another zone than the account, and the service allows a day either way.
  const paidAt = errors?.paidAt ?? ''
  return html`
<details class="claim"!${errors ? ' open' : ''}>
<summary>${claim.summary}</summary>
<form method="post" action="payment-sbp/paid" enctype="multipart/form-data">
<p>${claim.note}</p>
!${field('amount', claim.amount, claim.amountWrong(view.money(payment.amount).shown), html`inputmode="decimal" maxlength="30" autocomplete="off" value="${amount}"`)}
!${field('paidAt', claim.paidAt(zoneName(zone)), claim.paidAtWrong, html`type="datetime-local" value="${paidAt}"`)}
!${view.receipts >= maxReceipts ? '' : fileField(view, claim.receipt, errors?.receipt, false)}
<button class="main">${claim.submit}</button>
</form>
</details>`
}

import { html } from 'ghtml'
import { showError } from './elements.ts'
import type { PageView } from './page-view.ts'

/** Longest text for where a refund goes. */
export const maxAccountLength = 200

/** The form of a payer whose bank has not named its account. */
const showAccountForm = ({ words: { refunds } }: PageView, wrong: string | undefined): string => html`
<form method="post" action="payment-sbp/refund">
<div class="field">
<label for="account">${refunds.account}</label>
!${wrong === undefined ? '' : showError(refunds.accountWrong, 'account-wrong')}
<input id="account" name="account" required maxlength="${maxAccountLength}" autocomplete="off" value="${wrong ?? ''}" aria-describedby="!${wrong === undefined ? '' : 'account-wrong '}account-note"!${wrong === undefined ? '' : ' aria-invalid="true"'}>
<p class="hint" id="account-note">${refunds.accountNote}</p>
</div>
<button class="main">${refunds.submit}</button>
</form>`

/** What the shop gives back: whether it was sent yet, and where to, if nobody knows. */
export const showRefunds = (view: PageView, wrong: string | undefined): string => {
  const { refunds, asksAccount, words, money } = view
  if (refunds.length === 0) return ''
  const lines = refunds.map(({ status, amount, currency: _, payToMasked }) => {
    const shown = money(amount).shown
    if (status === 'done') return words.refunds.done(shown)
    if (status === 'sent') return words.refunds.sent(shown)
    return payToMasked === null ? words.refunds.asked(shown) : words.refunds.askedTo(shown, payToMasked)
  })
  return html`<section class="more">
<h2>${words.refunds.heading}</h2>
!${lines.map((line) => html`<p>${line}</p>`)}
!${asksAccount ? showAccountForm(view, wrong) : ''}
</section>`
}

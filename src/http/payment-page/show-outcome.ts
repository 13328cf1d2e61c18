import { html } from 'ghtml'
import { claimableUntil, mayClaim } from '../../rules/payments/payment.ts'
import type { Message } from './message.ts'
import { formatTime } from './formats.ts'
import { closedStates, type PageState } from './page-state.ts'
import type { PageView } from './page-view.ts'
import type { FormErrors } from './form-errors.ts'
import { showMessage, showSupport } from './elements.ts'
import { showRefunds } from './show-refunds.ts'
import { showBack, showWaiting } from './show-pay.ts'
import { showClaimForm, showReceiptForm } from './show-proof.ts'

type Outcome = Exclude<PageState, 'details' | 'pay' | 'checking' | 'part'>

const icons = {
  'part-over': 'stop',
  paid: 'done',
  credited: 'done',
  expired: 'stop',
  claimed: 'wait',
  rejected: 'stop',
  review: 'wait',
  canceled: 'close',
  failed: 'close',
} as const satisfies Record<Outcome, string>

// Says that staff decided, if the money alone did not decide the amount.
const creditedMessage = ({ words, payment, money }: PageView): Message => {
  const byMoney = payment.statusReason === 'underpaid' || payment.statusReason === 'overpaid'
  const amount = money(payment.amount).shown
  const final = money(payment.finalAmount ?? payment.amount).shown
  return byMoney ? words.credited(final, amount) : words.creditedByStaff(final, amount)
}

const iconOf = ({ payment }: PageView, outcome: Outcome) =>
  outcome === 'credited' && (payment.finalAmount ?? payment.amount) < payment.amount ? 'part' : icons[outcome]

/** What the page says in a state after the transfer or the deadline. */
export const messageOf = (view: PageView, outcome: Outcome): Message => {
  const { words, payment } = view
  const amount = view.money(payment.amount).shown
  switch (outcome) {
    case 'paid': {
      const received = view.money(payment.received).shown
      return received === amount ? words.paid(amount) : words.nearlyPaid(received, amount)
    }
    case 'credited':
      return creditedMessage(view)
    case 'claimed':
      return payment.status === 'canceled' || payment.status === 'failed' ? words.claimedClosed : words.claimed
    case 'part-over':
      return words.partOver(
        view.money(payment.received).shown,
        amount,
        view.money(payment.amount - payment.received).shown,
      )
    case 'canceled':
      if (view.newer !== undefined) {
        const { heading, lines } = words.links.replaced
        // A payer who has already paid gets the same advice as after the time has run out.
        return { heading, lines: [...lines, ...words.expired.lines.slice(1)] }
      }
      return payment.statusReason === 'canceled-by-payer' ? words.canceledByPayer : words.canceled
    case 'expired':
      if (!payment.requisiteShown) return words.expiredUnseen
      return view.now < claimableUntil(payment) ? words.expired : words.expiredLong
    default:
      return words[outcome]
  }
}

const showClaimed = ({ claim, words, money, locale, zone }: PageView): string =>
  claim === undefined
    ? ''
    : html`<dl class="plain">
<div><dt>${words.claimed.amount}</dt><dd>${money(claim.amount).shown}</dd></div>
<div><dt>${words.claimed.paidAt}</dt><dd>${formatTime(locale, claim.paidAt, zone)}</dd></div>
</dl>`

/** The link to the newer payment, or to where the payer may start again. */
const showGoOn = ({ newer, startAgain, words }: PageView): string => {
  const address = newer ?? startAgain
  if (address === undefined) return ''
  return html`<p><a class="main" href="${address}">${newer === undefined ? words.links.startAgain : words.links.toNewer}</a></p>`
}

/** The states after the transfer or the deadline: the outcome, or that staff are checking, and the next step. */
export const showOutcome = (view: PageView, outcome: Outcome, errors: FormErrors): string => {
  const { payment, words, now } = view
  const isCredited = outcome === 'paid' || outcome === 'credited'
  const isOpen = !closedStates.has(outcome)
  const canClaim = payment.claimReceivedAt === null && mayClaim(payment, now)
  return html`!${showMessage(iconOf(view, outcome), messageOf(view, outcome))}
!${outcome === 'claimed' ? showClaimed(view) : ''}
!${outcome === 'claimed' || outcome === 'review' ? html`<div class="more">!${showReceiptForm(view, errors.receipt)}</div>` : ''}
!${isCredited ? showRefunds(view, errors.refund) : ''}
!${showGoOn(view)}
!${showBack(view, !isOpen && view.startAgain === undefined)}
!${isCredited ? html`<p><a class="quiet" href="payment-sbp/receipt">${words.receipt.heading}</a></p>` : ''}
!${canClaim ? showClaimForm(view, errors.claim) : ''}
!${outcome === 'paid' ? '' : showSupport(view)}
!${isOpen ? showWaiting(view) : ''}`
}

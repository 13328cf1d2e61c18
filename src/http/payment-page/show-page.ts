import type { SimulatedEvent } from '../../rules/sandbox/simulation.ts'
import { html } from 'ghtml'
import { type HtmlPage, pageOf, showTestMode } from './layout.ts'
import { type PageState, pollMs } from './page-state.ts'
import { pageTag, type PageView } from './page-view.ts'
import type { FormErrors } from './form-errors.ts'
import { showDetails } from './show-details.ts'
import { messageOf, showOutcome } from './show-outcome.ts'
import { showChecking, showPart, showPay } from './show-pay.ts'

const showState = (view: PageView, errors: FormErrors): string => {
  switch (view.state) {
    case 'details':
      return showDetails(view, errors.details)
    case 'pay':
      return showPay(view, errors.method ?? false)
    case 'checking':
      return showChecking(view, errors.receipt)
    case 'part':
      return showPart(view)
    default:
      return showOutcome(view, view.state, errors)
  }
}

const headingOf = (view: PageView): string => {
  const { state, words } = view
  const isAsked = state === 'details' || state === 'pay' || state === 'checking' || state === 'part'
  return (isAsked ? words[state] : messageOf(view, state)).heading
}

// The state comes first: of many tabs only the beginnings of the titles are visible.
const titleOf = (view: PageView, errors: FormErrors): string => {
  const { words, merchant } = view
  const isWrong = Object.values(errors).some(Boolean)
  const parts = [isWrong ? words.error : '', headingOf(view), words.title(merchant.name)]
  return parts.filter((part) => part !== '').join(' · ')
}

/** The page of a payment in its current state. */
export const showPage = (view: PageView, errors: FormErrors = {}): HtmlPage => {
  const { payment, state, words } = view
  const main = html`<main data-page="${view.path()}" data-state="${state}" data-tag="${pageTag(view)}" data-poll="${pollMs(state)}" data-copied="${words.copied}">
!${showTestMode(view)}
<section class="card ${state}">!${showState(view, errors)}</section>
!${showSimulator(view)}
<p class="order">${words.order} ${payment.orderId}</p>
</main>`
  return pageOf(view, titleOf(view, errors), main)
}

const playable: ReadonlySet<PageState> = new Set([
  'details',
  'pay',
  'checking',
  'part',
  'part-over',
  'expired',
  'claimed',
])

/** What the simulated bank can do, in English like all that developers read. */
const events: Partial<Record<SimulatedEvent, string>> = {
  paid: 'Exact amount',
  partial: 'Half the amount',
  underpaid: 'Too little',
  overpaid: 'Too much',
  late: 'Late',
  expired: 'Let it expire',
}

/** Buttons of the simulated bank, for sandbox payments while money may still come. */
const showSimulator = (view: PageView): string => {
  if (view.merchant.mode !== 'sandbox' || !playable.has(view.state)) return ''
  const buttons = Object.entries(events).map(
    ([event, label]) => html`<button name="event" value="${event}">${label}</button>`,
  )
  return html`
<section class="simulator" lang="en" aria-labelledby="simulator">
<h2 id="simulator">Simulate a transfer</h2>
<form method="post" action="payment-sbp/simulate">!${buttons}</form>
</section>`
}

import { html } from 'ghtml'
import type { Page } from './layout.ts'
import { pollMs } from './page-state.ts'
import { type PageView, pageTag } from './page-view.ts'
import type { FormErrors } from './form-errors.ts'
import { pageOf, showTestMode } from './page-of.ts'
import { showDetails } from './show-details.ts'
import { showOutcome } from './show-outcome.ts'
import { showChecking, showPart, showPay } from './show-pay.ts'
import { showSimulator } from './show-simulator.ts'

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

// The state comes first: of many tabs only the beginnings of their titles are seen.
const titleOf = ({ words, merchant, state }: PageView, errors: FormErrors): string => {
  const isWrong = Object.values(errors).some(Boolean)
  const parts = [isWrong ? words.error : '', words.states[state], words.title(merchant.name)]
  return parts.filter((part) => part !== '').join(' · ')
}

/** The page of a payment in its current state. */
export const showPage = (view: PageView, errors: FormErrors = {}): Page => {
  const { payment, state, words } = view
  const main = html`<main data-page="${view.path()}" data-state="${state}" data-tag="${pageTag(view)}" data-poll="${pollMs(state)}" data-copied="${words.copied}">
!${showTestMode(view)}
<section class="card ${state}">!${showState(view, errors)}</section>
!${showSimulator(view)}
<p class="order">${words.order} ${payment.orderId}</p>
</main>`
  return pageOf(view, titleOf(view, errors), main)
}

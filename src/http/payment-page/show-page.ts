import { html } from 'ghtml'
import type { Page } from './layout.ts'
import { pollMs } from './page-state.ts'
import { type PageView, pageTag } from './page-view.ts'
import type { WrongClaim } from './read-claim.ts'
import { showDetails, type WrongDetails } from './show-details.ts'
import { showHeader } from './show-header.ts'
import { showOutcome } from './show-outcome.ts'
import { showChecking, showPart, showPay } from './show-pay.ts'
import { showSimulator } from './show-simulator.ts'

/** What of a form the payer has to correct, or could not be done. */
export type Wrong = {
  readonly details?: WrongDetails
  readonly claim?: WrongClaim
  readonly receipt?: boolean
  readonly method?: boolean
}

const showState = (view: PageView, wrong: Wrong): string => {
  switch (view.state) {
    case 'details':
      return showDetails(view, wrong.details)
    case 'pay':
      return showPay(view, wrong.method ?? false)
    case 'checking':
      return showChecking(view, wrong.receipt ?? false)
    case 'part':
      return showPart(view)
    default:
      return showOutcome(view, view.state, wrong)
  }
}

// The state stands first: of many tabs only the beginnings of their titles are seen.
const titleOf = ({ words, merchant, state }: PageView, wrong: Wrong): string => {
  const isWrong = Object.values(wrong).some(Boolean)
  const parts = [isWrong ? words.error : '', words.states[state], words.title(merchant.name)]
  return parts.filter((part) => part !== '').join(' · ')
}

/** The page of a payment in its present state. */
export const showPage = (view: PageView, wrong: Wrong = {}): Page => {
  const { locale, merchant, payment, state, brand, words } = view
  return {
    locale,
    title: titleOf(view, wrong),
    path: view.path,
    accent: brand.accent,
    header: showHeader(view),
    main: html`<main data-page="${view.path()}" data-state="${state}" data-tag="${pageTag(view)}" data-poll="${pollMs(state)}" data-copied="${words.copied}">
!${merchant.mode === 'sandbox' ? html`<p class="test">${words.testMode}</p>` : ''}
<section class="card ${state}">!${showState(view, wrong)}</section>
!${showSimulator(view)}
<p class="order">${words.order} ${payment.orderId}</p>
</main>`,
  }
}

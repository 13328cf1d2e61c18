import { html } from 'ghtml'
import type { Message } from './dictionary.ts'
import { icon } from './icons.ts'
import { closedStates, type PageState } from './page-state.ts'
import type { PageView } from './page-view.ts'

type Outcome = Exclude<PageState, 'details' | 'pay' | 'checking' | 'part'>

const signs = {
  'part-over': 'stop',
  paid: 'done',
  credited: 'done',
  expired: 'stop',
  review: 'wait',
  canceled: 'close',
  failed: 'close',
} as const satisfies Record<Outcome, string>

const messageOf = (view: PageView, outcome: Outcome): Message => {
  const { words, payment } = view
  const amount = view.money(payment.amount).shown
  switch (outcome) {
    case 'paid':
      return words.paid(amount)
    case 'credited':
      return words.credited(view.money(payment.finalAmount ?? payment.amount).shown, amount)
    case 'part-over':
      return words.partOver(view.money(payment.received).shown, amount)
    case 'expired':
      return payment.requisiteShown ? words.expired : words.expiredUnseen
    default:
      return words[outcome]
  }
}

/** A heading with its sign and lines. */
export const showMessage = (sign: Parameters<typeof icon>[0], { heading, lines }: Message): string => html`
!${icon(sign)}
<h1 tabindex="-1">${heading}</h1>
!${lines.map((line) => html`<p>${line}</p>`)}`

/** States 5–10: how it ended, or that people are looking at it; with the way back to the shop once it is closed. */
export const showOutcome = (view: PageView, outcome: Outcome): string => {
  const { words, payment, merchant } = view
  const back = closedStates.has(outcome) && payment.returnUrl !== null
  return html`!${showMessage(signs[outcome], messageOf(view, outcome))}
!${back ? html`<p class="more"><a class="main" href="${payment.returnUrl}" rel="noreferrer">${words.backToShop(merchant.name)}</a></p>` : ''}
!${closedStates.has(outcome) ? '' : html`<p class="more"><a class="quiet" href="${view.path()}">${words.checkStatus}</a></p>`}`
}

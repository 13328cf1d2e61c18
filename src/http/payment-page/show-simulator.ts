import { html } from 'ghtml'
import type { PageState } from './page-state.ts'
import type { PageView } from './page-view.ts'

const playable: ReadonlySet<PageState> = new Set([
  'details',
  'pay',
  'checking',
  'part',
  'part-over',
  'expired',
  'claimed',
])

/** Buttons of the simulated bank, for sandbox payments while money may still come. */
export const showSimulator = (view: PageView): string => {
  if (view.merchant.mode !== 'sandbox' || !playable.has(view.state)) return ''
  const { heading, events } = view.words.simulate
  const buttons = Object.entries(events).map(
    ([event, label]) => html`<button name="event" value="${event}">${label}</button>`,
  )
  return html`
<section class="simulator" aria-labelledby="simulator">
<h2 id="simulator">${heading}</h2>
<form method="post" action="payment-sbp/simulate">!${buttons}</form>
</section>`
}

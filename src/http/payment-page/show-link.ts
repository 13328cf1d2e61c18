import { html } from 'ghtml'
import { currencyDecimals } from '../../rules/values/currency.ts'
import type { PaymentMethod } from '../../rules/values/payment-method.ts'
import type { AmountFault } from '../../rules/payments/typed-amount.ts'
import { icon, langOf, showError, showMessage, showMethodChoice, showSupport } from './elements.ts'
import { formatUnit } from './formats.ts'
import type { Message } from './message.ts'
import type { LinkView } from './link-view.ts'
import { type HtmlPage, pageOf, showTestMode } from './layout.ts'
import { amountClass } from './show-requisite.ts'

/** A link's form as it was filled in, and what is wrong with it. */
export type LinkForm = {
  readonly visit: string
  readonly amount: string
  readonly method: string
  readonly fault?: AmountFault
  /** No account is free for what was asked. */
  readonly isTaken?: boolean
  /** The form did not arrive complete from a page of this link, or asks for what is not offered. */
  readonly isStale?: boolean
}

/** Why a link's page has no form; `seconds` until another try may succeed. */
export type LinkStop =
  | { readonly kind: 'used-up' | 'ended' | 'closed' | 'unavailable' }
  | { readonly kind: 'busy'; readonly seconds: number | undefined }
  | { readonly kind: 'limited'; readonly seconds: number }

/** Two ways to write what has three digits after its separator: as thousands, and with two of them as decimals. */
const unclearText = ({ words }: LinkView, typed: string): string => {
  const digits = typed.replace(/\D/g, '')
  const separator = typed.includes(',') ? ',' : '.'
  return words.links.unclear(typed.trim(), digits, `${digits.slice(0, -3)}${separator}${digits.slice(-3, -1)}`)
}

const faultText = (view: LinkView, fault: AmountFault, typed: string): string => {
  const { link, bounds, money, words } = view
  const decimals = currencyDecimals(link.currency)
  switch (fault) {
    case 'missing':
      return words.links.missing
    case 'unclear':
      return unclearText(view, typed)
    case 'precision':
      return decimals === 0 ? words.links.whole : words.links.precision(String(decimals))
    case 'too-small':
      return words.links.tooSmall(money(bounds.min).shown)
    case 'too-large':
      return words.links.tooLarge(money(bounds.max).shown)
    default:
      return words.links.wrong(money(link.minAmount ?? bounds.min).machine)
  }
}

const showAmountField = (view: LinkView, { amount, fault }: LinkForm): string => {
  const { words, bounds, money } = view
  return html`<div class="field">
<label for="amount">${words.links.amount}</label>
!${fault === undefined ? '' : showError(faultText(view, fault, amount), 'wrong')}
<input id="amount" name="amount" inputmode="decimal" autocomplete="off" required maxlength="30" aria-describedby="!${fault === undefined ? '' : 'wrong '}hint" value="${amount}"!${fault === undefined ? '' : ' aria-invalid="true" autofocus'}>
<p class="hint" id="hint">${words.links.between(money(bounds.min).shown, money(bounds.max).shown)}</p>
</div>`
}

const showFixedAmount = ({ words, money }: LinkView, minor: bigint): string => {
  const amount = money(minor)
  return html`<p class="sum"><span>${words.details.amount}</span> <b class="${amountClass(amount)}">${amount.shown}</b></p>`
}

const showAbout = ({
  link,
  locale,
}: LinkView): string => html`<h1 tabindex="-1"!${langOf(locale, link.title)}>${link.title}</h1>
!${link.description === null ? '' : html`<p!${langOf(locale, link.description)}>${link.description}</p>`}`

const documentOf = (view: LinkView, title: string, content: string): HtmlPage =>
  pageOf(
    view,
    [title, view.link.title, view.words.title(view.merchant.name)].filter((part) => part !== '').join(' · '),
    html`<main>
!${showTestMode(view)}
<section class="card">!${content}</section>
</main>`,
  )

/** The page on which a payer starts a payment by a link. */
export const showLinkForm = (view: LinkView, methods: readonly PaymentMethod[], form: LinkForm): HtmlPage => {
  const { link, words } = view
  const isWrong = form.fault !== undefined || form.isTaken || form.isStale
  return documentOf(
    view,
    isWrong ? words.error : '',
    html`!${showAbout(view)}
!${link.amount === null ? '' : showFixedAmount(view, link.amount)}
!${form.isTaken ? showError(words.links.taken) : ''}
!${form.isStale ? showError(words.links.stale) : ''}
<form method="post" action="${view.path()}">
<input type="hidden" name="visit" value="${form.visit}">
!${link.amount === null ? showAmountField(view, form) : ''}
!${showMethodChoice(words, methods, methods.find((method) => method === form.method) ?? methods[0])}
<button class="main">${words.details.submit}</button>
<p class="hint">${words.links.next}</p>
</form>
!${showSupport(view)}`,
  )
}

const icons = {
  'used-up': 'done',
  ended: 'close',
  closed: 'close',
  unavailable: 'stop',
  busy: 'wait',
  limited: 'wait',
} as const satisfies Record<LinkStop['kind'], Parameters<typeof icon>[0]>

const messageOf = ({ link, words, locale }: LinkView, stop: LinkStop): Message => {
  const span = (seconds: number): string => formatUnit(locale, Math.max(1, Math.ceil(seconds / 60)), 'minute')
  switch (stop.kind) {
    case 'used-up':
      return link.maxUses === 1 ? words.links.usedUp : words.links.allUsed
    case 'busy': {
      const { busy, allTaken, freeIn } = words.links
      const { heading, lines } = link.maxUses === 1 ? busy : allTaken
      const wait = stop.seconds === undefined ? [] : [freeIn(span(stop.seconds))]
      return { heading, lines: [[lines[0], ...wait].join(' '), ...busy.lines.slice(1)] }
    }
    case 'limited':
      return words.links.limited(span(stop.seconds))
    default:
      return words.links[stop.kind]
  }
}

/** The page of a link from which no payment can be started, at the moment or ever. */
export const showLinkStop = (view: LinkView, stop: LinkStop): HtmlPage => {
  const { link, locale, words } = view
  const message = messageOf(view, stop)
  const isOver = stop.kind === 'used-up' || stop.kind === 'ended' || stop.kind === 'closed'
  return documentOf(
    view,
    message.heading,
    html`<p class="hint"!${langOf(locale, link.title)}>${link.title}</p>
!${showMessage(icons[stop.kind], message)}
!${isOver ? '' : html`<p><a class="main" href="${view.path()}">${words.links.again}</a></p>`}
!${showSupport(view)}`,
  )
}

import { maskNumber } from '../../rules/values/masking.ts'
import { html } from 'ghtml'
import type { DetailsErrors } from './form-errors.ts'
import { type HtmlPage, pageOf, showTestMode } from './layout.ts'
import type { PageView } from './page-view.ts'
import { showPayerFields } from './show-details.ts'
import { formatTime } from './formats.ts'
import { icon, langOf, showMessage } from './elements.ts'
import type { Dictionary } from './english.ts'
import { dictionaries, type Locale } from './languages.ts'

const titled = (view: PageView, heading: string, content: string): HtmlPage => {
  const main = html`<main>
!${showTestMode(view)}
<section class="card">
<h1 tabindex="-1">${heading}</h1>
!${content}
</section>
</main>`
  return pageOf(view, `${heading} · ${view.words.title(view.merchant.name)}`, main)
}

/** The page on which the payer corrects its phone and bank. */
export const showChange = (view: PageView, errors: DetailsErrors | undefined): HtmlPage => {
  const { change, backToPayment } = view.words
  return titled(
    view,
    change.heading,
    html`<p>${change.note}</p>
<form method="post" action="${view.path()}/change">
!${showPayerFields(view, errors)}
<button class="main">${change.submit}</button>
</form>
<p><a class="quiet" href="${view.path()}">${backToPayment}</a></p>`,
  )
}

/** The page that asks whether to cancel. */
export const showCancel = (view: PageView): HtmlPage => {
  const { cancel } = view.words
  return titled(
    view,
    cancel.heading,
    html`!${cancel.lines.map((line) => html`<p>${line}</p>`)}
<p><a class="main" href="${view.path()}">${cancel.keep}</a></p>
<form method="post" action="${view.path()}/cancel"><button>${cancel.submit}</button></form>`,
  )
}

/** The printable receipt of a credited payment. */
export const showReceipt = (view: PageView): HtmlPage => {
  const { locale, words, merchant, payment, method } = view
  const { receipt } = words
  const { fields } = receipt
  const to = view.requisite()
  const credited = payment.finalAmount ?? payment.amount
  const isExact = payment.received === payment.amount && credited === payment.amount
  const rows = [
    [fields.shop, merchant.name],
    [words.order, payment.orderId],
    isExact ? undefined : [fields.amount, view.money(payment.amount).shown],
    credited === payment.amount ? undefined : [fields.credited, view.money(credited).shown],
    [fields.paidAt, formatTime(locale, payment.changedAt, view.zone)],
    [fields.method, words.methods[method].name],
    [fields.to, `${to.bank.shown}, ${to.masked}`],
    payment.sourcePan === '' ? undefined : [fields.from, maskNumber(payment.sourcePan)],
    [fields.id, payment.id],
  ].filter((row) => row !== undefined) as [title: string, value: string][]
  const main = html`<main>
!${showTestMode(view)}
<section class="card receipt">
!${icon('done')}
<h1>${receipt.heading}</h1>
<p class="sum"><span>${fields.received}</span> <b class="big">${view.money(payment.received).shown}</b></p>
<dl class="plain">!${rows.map(([title, value]) => html`<div><dt>${title}</dt><dd!${langOf(locale, value)}>${value}</dd></div>`)}</dl>
<p class="hint">${receipt.note}</p>
<p class="screen"><button class="main scripted" type="button" data-print>${receipt.print}</button></p>
<p class="screen"><a class="quiet" href="${view.path()}">${words.backToPayment}</a></p>
</section>
</main>`
  return {
    ...pageOf(view, `${receipt.heading} — ${merchant.name}`, main),
    path: (wanted) => (wanted === undefined ? view.path() : `${view.path(wanted)}/receipt`),
  }
}

/** The refusals that a browser may meet. */
type ProblemName = keyof Dictionary['problems']

const names: Readonly<Record<number, ProblemName>> = {
  403: 'foreignForm',
  404: 'unknownLink',
  408: 'tooSlow',
  413: 'tooLarge',
  429: 'tooMany',
}

const nameOf = (status: number): ProblemName => names[status] ?? (status >= 500 ? 'trouble' : 'badRequest')

/**
 * The page for a refused request; `path` is that of the payment's page, to which it leads back. All addresses that open
 * nothing get the same, so that none can be distinguished.
 */
export const showProblem = (locale: Locale, status: number, path?: string): HtmlPage => {
  const words: Dictionary = dictionaries[locale]
  const name = nameOf(status)
  const message = words.problems[name]
  const leadsBack = path !== undefined && name !== 'unknownLink' && name !== 'foreignForm'
  const back = leadsBack ? html`<p><a class="main" href="${path}">${words.backToPayment}</a></p>` : ''
  return {
    locale,
    title: message.heading,
    header: '',
    main: html`<main><section class="card">!${showMessage('stop', message)}!${back}</section></main>`,
  }
}

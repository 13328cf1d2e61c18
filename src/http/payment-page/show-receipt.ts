import { html } from 'ghtml'
import { formatTime } from './formats.ts'
import { icon, langOf } from './elements.ts'
import type { Page } from './layout.ts'
import type { PageView } from './page-view.ts'
import { pageOf, showTestMode } from './page-of.ts'

/** The printable receipt of a credited payment. */
export const showReceipt = (view: PageView): Page => {
  const { locale, words, merchant, payment, method } = view
  const { receipt } = words
  const { fields } = receipt
  const to = view.requisite()
  const credited = payment.finalAmount ?? payment.amount
  const isExact = payment.received === payment.amount && credited === payment.amount
  const rows = [
    [fields.shop, merchant.name],
    [fields.order, payment.orderId],
    isExact ? undefined : [fields.amount, view.money(payment.amount).shown],
    credited === payment.amount ? undefined : [fields.credited, view.money(credited).shown],
    [fields.paidAt, formatTime(locale, payment.changedAt, view.zone)],
    [fields.method, words.methods[method].name],
    [fields.to, `${to.bank}, ${to.masked}`],
    payment.sourcePan === '' ? undefined : [fields.from, payment.sourcePan],
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

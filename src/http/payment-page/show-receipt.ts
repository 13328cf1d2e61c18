import { html } from 'ghtml'
import { formatTime } from './formats.ts'
import { icon } from './icons.ts'
import type { Page } from './layout.ts'
import type { PageView } from './page-view.ts'
import { showHeader } from './show-header.ts'
import { langOf } from './show-name.ts'

/** The printable receipt of a credited payment. */
export const showReceipt = (view: PageView): Page => {
  const { locale, words, merchant, payment, method, brand } = view
  const { receipt } = words
  const { fields } = receipt
  const to = view.requisite()
  const credited = payment.finalAmount ?? payment.amount
  const differing: [string, bigint][] = [
    [fields.amount, payment.amount],
    ...(credited === payment.amount ? [] : [[fields.credited, credited] as [string, bigint]]),
  ]
  const rows: [string, string][] = [
    [fields.shop, merchant.name],
    [fields.order, payment.orderId],
    ...(payment.received === payment.amount && credited === payment.amount
      ? []
      : differing.map(([title, minor]): [string, string] => [title, view.money(minor).shown])),
    [fields.paidAt, formatTime(locale, payment.changedAt, view.zone)],
    [fields.method, words.methods[method]],
    [fields.to, `${to.bank}, ${to.masked}`],
    ...(payment.sourcePan === '' ? [] : [[fields.from, payment.sourcePan] as [string, string]]),
    [fields.id, payment.id],
  ]
  return {
    locale,
    title: `${receipt.heading} — ${merchant.name}`,
    path: (wanted) => `${view.path(wanted)}/receipt`,
    accent: brand.accent,
    header: showHeader(view),
    main: html`<main>
!${merchant.mode === 'sandbox' ? html`<p class="test">${words.testMode}</p>` : ''}
<section class="card receipt">
!${icon('done')}
<h1>${receipt.heading}</h1>
<p class="sum"><span>${fields.received}</span> <b class="big">${view.money(payment.received).shown}</b></p>
<dl class="plain">!${rows.map(([title, value]) => html`<div><dt>${title}</dt><dd!${langOf(locale, value)}>${value}</dd></div>`)}</dl>
<p class="hint">${receipt.note}</p>
<p class="screen"><button class="main scripted" type="button" data-print>${receipt.print}</button></p>
<p class="screen"><a class="quiet" href="${view.path()}">${words.backToPayment}</a></p>
</section>
</main>`,
  }
}

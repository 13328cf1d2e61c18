import { html } from 'ghtml'
import type { BankIssuer } from '../../engine/requisites/bank-issuers.ts'
import { type HtmlPage, pageOf } from './layout.ts'
import { readSearch } from './offer-banks.ts'
import type { PageView } from './page-view.ts'
import { langOf, showError, showNamed } from './elements.ts'

/** The field that finds a bank; the script searches while the payer types and shows the tiles of the response. */
const showSearch = ({ words, path }: PageView, text: string, isWrong = false): string =>
  html`<input id="find" name="find" type="search" aria-label="${words.banks.search}" placeholder="${words.banks.search}" value="${text}" maxlength="60" autocomplete="off" data-find="${path()}/banks"!${isWrong ? ' aria-invalid="true" aria-describedby="several"' : ''}>`

/** The banks to choose from: radio buttons of the payer's form, and the response to the script's search. */
export const showBankTiles = (view: PageView, text: string, chosen: BankIssuer | undefined): string => {
  const { locale, words } = view
  const search = readSearch(text)
  const { banks, isAll } = view.offeredBanks(search)
  const shown = chosen && !banks.includes(chosen) ? [chosen, ...banks] : banks
  const tile = (code: string, name: string): string =>
    html`<label class="tile"!${langOf(locale, name)}><input type="radio" name="bank" value="${code}"!${code === chosen?.code ? ' checked' : ''}!${view.asksName ? ' required' : ''}><span>${name}</span></label>`
  // The search whose result these tiles are: a payer who has seen them and chooses none has no bank of the list.
  const seen = isAll ? '' : html`<input type="hidden" name="seen" value="${search}">`
  const none = search !== '' && banks.length === 0 ? html`<p class="hint">${words.banks.none}</p>` : ''
  return html`<div class="tiles">!${seen}!${none}!${shown.map(({ code, name }) => tile(code, name))}!${tile('', words.banks.any)}</div>`
}

/** The choice of the payer's bank; the chosen one stays in sight, whatever is searched. */
export const showBankChoice = (view: PageView, text: string, wanted: string, isAmbiguous: boolean): string => {
  const { banks: words } = view.words
  const all = view.banks()
  if (all.length === 0) return ''
  const chosen = all.find(({ code }) => code === wanted)
  const search = (): string => html`!${isAmbiguous ? showError(words.several, 'several') : ''}
!${showSearch(view, text, isAmbiguous)}
<p class="hint check">${words.write}</p>`
  // Once the requisite has been shown, it no longer depends on the bank.
  const isFirst = view.state === 'details'
  return html`<fieldset class="banks"!${isFirst ? ' aria-describedby="bank-why"' : ''}>
<legend>${words.label}</legend>
!${view.offeredBanks('').isAll ? '' : search()}
!${showBankTiles(view, text, chosen)}
!${isFirst ? html`<p class="hint" id="bank-why">${view.asksName ? words.whyNamed : words.why}</p>` : ''}
</fieldset>`
}

/** Links into banks, at once or for a search; also the response to the script's search. */
export const showLinkTiles = (view: PageView, text: string): string => {
  const { words, locale } = view
  const search = readSearch(text)
  const { links } = view.bankLinks(search)
  const none = search !== '' && links.length === 0 ? html`<p class="hint">${words.banks.noLink}</p>` : ''
  return html`<div class="tiles">!${none}!${links.map(({ bank, url }) => html`<a href="${url}"!${langOf(locale, bank)}>${bank}</a>`)}</div>`
}

/** The links, with a search if these are not all; it works without the script, too. */
const showLinks = (view: PageView, text: string): string => {
  const tiles = showLinkTiles(view, text)
  if (view.bankLinks('').isAll) return tiles
  return html`<form class="banks" action="${view.path()}/banks">!${showSearch(view, text)}<button class="check">${view.words.banks.find}</button>!${tiles}</form>`
}

/** Links into the payer's bank; the payer taps them, they never open automatically. */
export const showBankLinks = (view: PageView): string => {
  const { pay } = view.words
  const { links, isAll } = view.bankLinks('')
  const [first] = links
  if (!first && isAll) return ''
  if (first && links.length === 1 && isAll) {
    return html`<p><a class="quiet" href="${first.url}">!${showNamed(view.locale, pay.openBank(first.bank), first.bank)}</a></p>`
  }
  return html`<details class="first">
<summary class="main" data-first>${pay.openOneOf}</summary>
!${showLinks(view, '')}
</details>`
}

/** The result of a search for a bank's link without the script. */
export const showFoundBanks = (view: PageView, text: string): HtmlPage => {
  const { words, merchant, path } = view
  const main = html`<main>
<section class="card">
<h1>${words.pay.openOneOf}</h1>
!${showLinks(view, text)}
<p><a class="quiet" href="${path()}">${words.backToPayment}</a></p>
</section>
</main>`
  return pageOf(view, `${words.pay.openOneOf} · ${words.title(merchant.name)}`, main)
}

import { html } from 'ghtml'
import type { BankIssuer } from '../../requisites/bank-issuers.ts'
import type { Page } from './layout.ts'
import { readSearch } from './offer-banks.ts'
import type { PageView } from './page-view.ts'
import { showHeader } from './show-header.ts'
import { langOf, showNamed } from './show-name.ts'

/** The field that finds a bank; the script asks while one types, and shows the tiles of the answer. */
const showSearch = ({ words, path }: PageView, text: string, isWrong = false): string =>
  html`<input id="find" name="find" type="search" aria-label="${words.banks.search}" placeholder="${words.banks.search}" value="${text}" maxlength="60" autocomplete="off" data-find="${path()}/banks"!${isWrong ? ' aria-invalid="true" aria-describedby="several"' : ''}>`

/** Tiles to choose one of: radio buttons of the payer's form. The answer of the service to the script's search, too. */
export const showBankTiles = (view: PageView, text: string, chosen: BankIssuer | undefined): string => {
  const { locale, words } = view
  const search = readSearch(text)
  const { banks, isAll } = view.offeredBanks(search)
  const shown = chosen && !banks.includes(chosen) ? [chosen, ...banks] : banks
  const tile = (code: string, name: string): string =>
    html`<label class="tile"!${langOf(locale, name)}><input type="radio" name="bank" value="${code}"!${code === (chosen?.code ?? '') ? ' checked' : ''}><span>${name}</span></label>`
  // What was looked for when these tiles were made: whoever has seen them and chooses none means none.
  const seen = isAll ? '' : html`<input type="hidden" name="seen" value="${search}">`
  const none = search !== '' && banks.length === 0 ? html`<p class="hint">${words.banks.none}</p>` : ''
  return html`<div class="tiles">!${seen}!${none}!${tile('', words.banks.any)}!${shown.map(({ code, name }) => tile(code, name))}</div>`
}

/** The choice of the payer's bank; one that was chosen stays in sight, whatever is looked for. */
export const showBankChoice = (view: PageView, text: string, wanted: string, isSeveral: boolean): string => {
  const { banks: words } = view.words
  const all = view.banks()
  if (all.length === 0) return ''
  const chosen = all.find(({ code }) => code === wanted)
  const search =
    (): string => html`!${isSeveral ? html`<p class="wrong" id="several" role="alert">${words.several}</p>` : ''}
!${showSearch(view, text, isSeveral)}
<p class="hint check">${words.write}</p>`
  return html`<fieldset class="banks" aria-describedby="bank-why">
<legend>${words.label}</legend>
!${view.offeredBanks('').isAll ? '' : search()}
!${showBankTiles(view, text, chosen)}
<p class="hint" id="bank-why">${words.why}</p>
</fieldset>`
}

/** Links into banks, at once or for a search; the answer of the service to the script's search, too. */
export const showLinkTiles = (view: PageView, text: string): string => {
  const { words, locale } = view
  const search = readSearch(text)
  const { links } = view.bankLinks(search)
  const none = search !== '' && links.length === 0 ? html`<p class="hint">${words.banks.noLink}</p>` : ''
  return html`<div class="tiles">!${none}!${links.map(({ bank, url }) => html`<a href="${url}"!${langOf(locale, bank)}>${bank}</a>`)}</div>`
}

/** The links; where they are not all, with a field that finds the others, also without the script. */
const showLinks = (view: PageView, text: string): string => {
  const tiles = showLinkTiles(view, text)
  if (view.bankLinks('').isAll) return tiles
  return html`<form class="banks" action="${view.path()}/banks">!${showSearch(view, text)}<button class="check">${view.words.banks.find}</button>!${tiles}</form>`
}

/** Links into the payer's bank; plain links that the payer taps, never opened by themselves. */
export const showBankLinks = (view: PageView): string => {
  const { pay } = view.words
  const { links, isAll } = view.bankLinks('')
  const [first] = links
  if (!first && isAll) return ''
  if (first && links.length === 1 && isAll) {
    return html`<p><a class="quiet" href="${first.url}">!${showNamed(view.locale, pay.openBank(first.bank), first.bank)}</a></p>`
  }
  return html`<details>
<summary>${pay.openOneOf}</summary>
!${showLinks(view, '')}
</details>`
}

/** The banks that were looked for without the script, each a link with the transfer filled in. */
export const showFoundBanks = (view: PageView, text: string): Page => {
  const { locale, words, merchant, brand, path } = view
  return {
    locale,
    title: `${words.pay.openOneOf} · ${words.title(merchant.name)}`,
    path,
    accent: brand.accent,
    header: showHeader(view),
    main: html`<main>
<section class="card">
<h1>${words.pay.openOneOf}</h1>
!${showLinks(view, text)}
<p><a class="quiet" href="${path()}">${words.backToPayment}</a></p>
</section>
</main>`,
  }
}

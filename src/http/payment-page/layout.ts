import { html } from 'ghtml'
import type { Dictionary } from './english.ts'
import { dictionaries, type Locale, locales } from './languages.ts'
import type { PageAssets } from './page-assets.ts'
import type { PageView } from './page-view.ts'

/** An HTML page: its title, and its parts as HTML. */
export type HtmlPage = {
  readonly locale: Locale
  readonly title: string
  /** HTML of `<header>`. */
  readonly header: string
  /** HTML of `<main>`, which the script replaces. */
  readonly main: string
  /** Address of the same page in another language. */
  readonly path?: ((locale?: Locale) => string) | undefined
  /** Address of the stylesheet with the merchant's colour. */
  readonly accent?: string | undefined
}

const nameOf = (locale: Locale): string => {
  const words: Dictionary = dictionaries[locale]
  return words.language
}

// A page opens in the browser's language. The next language is one press away, the others two.
const languages = (page: HtmlPage): string => {
  const [nearest, ...others] = locales.filter((locale) => locale !== page.locale)
  const more = html`<a href="${page.path?.()}/languages" aria-label="${others.map(nameOf).join(', ')}">…</a>`
  return html`<nav>!${nearest ? languageLink(page, nearest) : ''}!${more}</nav>`
}

const languageLink = ({ path }: Pick<HtmlPage, 'path'>, locale: Locale): string =>
  html`<a href="${path?.(locale)}" lang="${locale}">${nameOf(locale)}</a>`

/** The page from which each language is chosen. */
export const showLanguages = ({ path, ...page }: HtmlPage): HtmlPage => {
  const { languages: heading } = dictionaries[page.locale]
  return {
    ...page,
    title: `${heading} · ${page.title}`,
    main: html`<main><section class="card"><h1>${heading}</h1><div class="tiles">!${locales.map((locale) => languageLink({ path }, locale))}</div></section></main>`,
  }
}

/** The whole document of a page. Nothing is inline: the content policy allows scripts and styles of our files only. */
export const renderDocument = (page: HtmlPage, assets: PageAssets): string => {
  const { forms, offline } = dictionaries[page.locale]
  return html`<!doctype html>
<html lang="${page.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no">
<title>${page.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.style}">
!${page.accent === undefined ? '' : html`<link rel="stylesheet" href="${page.accent}">`}
!${assets.script === undefined ? '' : html`<script type="module" src="${assets.script}"></script>`}
</head>
<body>
<header>!${page.header}!${page.path ? languages(page) : ''}</header>
!${page.main}
<p class="unseen" id="said" role="status" data-busy="${forms.busy}" data-offline="${offline}" data-failed="${forms.failed}"></p>
</body>
</html>
`
}

/** What the pages of a merchant have in common. */
type Branded = Pick<PageView, 'words' | 'merchant' | 'brand' | 'locale' | 'path'>

// The size reserves the space before the picture has loaded. A wordmark may be up to five times as wide as high.
const showLogo = ({ path, width, height }: NonNullable<PageView['brand']['logo']>): string => {
  const size = width === null || height === null ? '' : html` width="${width}" height="${height}"`
  return html`<img class="logo" src="${path}"!${size} alt="">`
}

// Whom the money is for: the merchant's logo, or the first letter of its name.
const showHeader = ({ words, merchant, brand }: Branded): string => html`
!${
  brand.logo === undefined
    ? html`<span class="mark" aria-hidden="true">${[...merchant.name][0]?.toLocaleUpperCase()}</span>`
    : showLogo(brand.logo)
}
<p class="shop"><span>${words.payee}</span> <b>${merchant.name}</b></p>`

/** The banner of sandbox payments; empty for live ones. */
export const showTestMode = ({ merchant, words }: Pick<PageView, 'merchant' | 'words'>): string =>
  merchant.mode === 'sandbox' ? html`<p class="test">${words.testMode}</p>` : ''

/** A page of a payment or link, in the merchant's name and colour. */
export const pageOf = (view: Branded, title: string, main: string): HtmlPage => ({
  locale: view.locale,
  title,
  path: view.path,
  accent: view.brand.accent,
  header: showHeader(view),
  main,
})

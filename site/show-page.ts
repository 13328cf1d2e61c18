import { html } from 'ghtml'
import type { DocsPage } from './pages.ts'
import type { Heading, Rendered } from './render-markdown.ts'

/** What all pages share: the addresses of their files, and the list of them. */
export type Frame = {
  readonly style: string
  readonly script: string
  readonly pages: readonly Pick<DocsPage, 'slug' | 'group' | 'title'>[]
}

/** The address of a page. In place of `{base}`, the service writes the path of its own address. */
export const addressOf = (slug: string): string => (slug === 'index' ? '{base}/docs' : `{base}/docs/${slug}`)

const navigation = ({ pages }: Frame, current: string): string => {
  const groups = [...Map.groupBy(pages, ({ group }) => group)]
  const link = ({ slug, title }: Frame['pages'][number]): string =>
    html`<li><a href="${addressOf(slug)}" !${slug === current ? 'aria-current="page"' : ''}>${title.replace(/^API: /, '')}</a></li>`
  return html`<nav class="pages" id="menu" aria-label="Pages">!${groups.map(([group, own]) => html`<h2>${group}</h2><ul>!${own.map(link)}</ul>`)}</nav>`
}

const contents = (headings: readonly Heading[]): string => {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3)
  const list = shown.map(
    ({ depth, text, anchor }) => html`<li class="depth-${String(depth)}"><a href="#${anchor}">${text}</a></li>`,
  )
  return shown.length < 2 ? '' : html`<ul>!${list}</ul>`
}

const neighbours = ({ pages }: Frame, current: string): string => {
  const at = pages.findIndex(({ slug }) => slug === current)
  const [before, after] = [pages[at - 1], pages[at + 1]]
  const link = (page: Frame['pages'][number] | undefined, rel: 'prev' | 'next'): string =>
    page
      ? html`<a rel="${rel}" class="${rel}" href="${addressOf(page.slug)}"><span>${rel === 'prev' ? 'Previous' : 'Next'}</span> ${page.title}</a>`
      : ''
  return html`<nav class="neighbours" aria-label="Previous and next page">!${link(before, 'prev')}!${link(after, 'next')}</nav>`
}

type Parts = {
  readonly title: string
  readonly current: string
  readonly main: string
  readonly aside: string
  readonly query?: string
}

const showFrame = (frame: Frame, { title, current, main, aside, query = '' }: Parts): string => {
  const { style, script } = frame
  const markdown =
    current === '' ? '' : html`<link rel="alternate" type="text/markdown" href="{base}/docs/${current}.md">`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Payin</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
!${markdown}
<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="{base}/docs">Payin <span>for integrators</span></a>
<form role="search" action="{base}/docs/search"><input type="search" name="q" value="${query}" placeholder="Search" aria-label="Search the documentation" autocomplete="off"><button>Search</button></form>
<a class="menu" href="#menu">Menu</a>
</header>
<div class="columns">
<main id="content" tabindex="-1">
!${aside === '' ? '' : html`<details class="contents"><summary>On this page</summary>!${aside}</details>`}
!${main}
</main>
!${navigation(frame, current)}
!${aside === '' ? '' : html`<nav class="contents" aria-label="On this page"><h2>On this page</h2>!${aside}</nav>`}
</div>
</body>
</html>
`
}

/** The whole document of a page. */
export const showPage = (frame: Frame, page: DocsPage, rendered: Rendered): string => {
  const end = html`<p class="source"><a href="{base}/docs/${page.slug}.md">This page as Markdown</a></p>`
  return showFrame(frame, {
    title: page.title,
    current: page.slug,
    main: html`<article>!${rendered.html}</article>!${neighbours(frame, page.slug)}!${end}`,
    aside: contents(rendered.headings),
  })
}

/** The page of a search, in which the service replaces `{query}`, `{heading}` and `{found}`. */
export const showSearch = (frame: Frame): string =>
  showFrame(frame, {
    title: 'Search',
    current: '',
    main: '<article><h1>{heading}</h1>{found}</article>',
    aside: '',
    query: '{query}',
  })

/** The page for an address under `/docs` that has none. */
export const showMissing = (frame: Frame): string =>
  showFrame(frame, {
    title: 'There is no such page',
    current: '',
    main: html`<article><h1>There is no such page</h1><p>It may have another name: search for it, or begin at <a href="{base}/docs">the start</a>.</p></article>`,
    aside: '',
  })

import { posix } from 'node:path'
import { staticDocument } from '../routes/static-document.ts'
import { linkMarkdown, type MakeLink, renderMarkdown } from './render-markdown.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { type DocsPage, readPages, slugOfFile } from './pages.ts'
import { openSearch, type Search } from './search-pages.ts'
import { addressOf, type Frame, showMissing, showPage, showSearch } from './show-document.ts'

const html = 'text/html; charset=utf-8'
const markdown = 'text/markdown; charset=utf-8'
const text = 'text/plain; charset=utf-8'
const check = 'no-cache'

/** Turns links from a page to files of the repository into links to pages; undefined for a file that is not a page. */
const linksOf =
  (from: DocsPage, pages: readonly DocsPage[], base: string, makeAddress: (slug: string) => string): MakeLink =>
  (href) => {
    if (/^[a-z][a-z+.-]*:/.test(href) || href.startsWith('#')) return href
    const [path = '', anchor] = href.split('#')
    const file = posix.join(posix.dirname(from.file), path)
    if (file === 'docs/openapi.json') return `${base}/openapi/merchant.json`
    const slug = slugOfFile(file, pages)
    return slug && makeAddress(slug) + (anchor === undefined ? '' : `#${anchor}`)
  }

const llmsText = (publicUrl: string, pages: readonly DocsPage[]): string => {
  const groups = [...Map.groupBy(pages, ({ group }) => group)].map(([group, own]) => {
    const links = own.map(({ slug, title }) => `- [${title}](${publicUrl}/docs/${slug}.md)`)
    return `## ${group}\n\n${links.join('\n')}`
  })
  return [
    '# Payin',
    '> Merchant payment acceptance by bank transfer: a merchant creates a payment, its user sends the money from a bank app, Payin finds the payment it was for and notifies the merchant, which acknowledges it.',
    `The API is described by [an OpenAPI document](${publicUrl}/openapi/merchant.json). Begin with the quick start; [all pages are one text](${publicUrl}/llms-full.txt), too.`,
    ...groups,
    '',
  ].join('\n\n')
}

type Document = ReturnType<typeof staticDocument>

/** The documentation of one service. Each document is made when it is first requested. */
export class Site {
  readonly #pages: ReadonlyMap<string, DocsPage>
  readonly #documents = new Map<string, Document>()
  readonly #publicUrl: string
  readonly #frame: Frame
  #search: Search | undefined

  constructor(document: OpenApiDocument, publicUrl: string, files: Pick<Frame, 'base' | 'style' | 'script'>) {
    const pages = readPages(document, publicUrl)
    this.#pages = new Map(pages.map((page) => [page.slug, page]))
    this.#publicUrl = publicUrl
    this.#frame = { ...files, pages }
  }

  /** The page with what the search finds. */
  showSearch(query: string): string {
    this.#search ??= openSearch([...this.#pages.values()])
    return showSearch(this.#frame, query, this.#search(query))
  }

  /** The page for addresses that are no page. */
  showMissing(): string {
    return showMissing(this.#frame)
  }

  /** The document with a name under `/docs/`: a page, or a page as Markdown; undefined if there is none. */
  document(name: string): Document | undefined {
    const isSource = name.endsWith('.md')
    const page = this.#pages.get(isSource ? name.slice(0, -'.md'.length) : name)
    if (!page) return undefined
    return this.#keep(name, isSource ? markdown : html, () => (isSource ? this.#write(page) : this.#show(page)))
  }

  /** The list of pages for language models (llmstxt.org). */
  llms(): Document {
    return this.#keep('llms.txt', text, () => llmsText(this.#publicUrl, [...this.#pages.values()]))
  }

  /** All pages as one text. */
  llmsFull(): Document {
    return this.#keep('llms-full.txt', text, () =>
      [...this.#pages.values()].map((page) => this.#write(page)).join('\n\n'),
    )
  }

  /** A page as Markdown. Its links are absolute and lead to pages as Markdown. */
  #write(page: DocsPage): string {
    const makeAddress = (slug: string): string => `${this.#publicUrl}/docs/${slug}.md`
    const makeLink = linksOf(page, [...this.#pages.values()], this.#publicUrl, makeAddress)
    return linkMarkdown(page.markdown, makeLink)
  }

  #show(page: DocsPage): string {
    const { base } = this.#frame
    const makeLink = linksOf(page, [...this.#pages.values()], base, (slug) => addressOf(base, slug))
    return showPage(this.#frame, page, renderMarkdown(page.markdown, makeLink))
  }

  #keep(name: string, type: string, make: () => string): Document {
    const kept = this.#documents.get(name) ?? staticDocument(Buffer.from(make()), type, check)
    this.#documents.set(name, kept)
    return kept
  }
}

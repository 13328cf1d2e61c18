import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import type { App } from '../app.ts'
import { staticDocument } from '../static-document.ts'
import { linkMarkdown, type MakeLink, renderMarkdown } from './render-markdown.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { type Page, readPages, slugOfFile } from './pages.ts'
import { openSearch, type Search } from './search-pages.ts'
import { addressOf, type Frame, showMissing, showPage, showSearch } from './show-document.ts'

const options = { schema: { hide: true } }

const html = 'text/html; charset=utf-8'
const markdown = 'text/markdown; charset=utf-8'
const text = 'text/plain; charset=utf-8'

/** Nothing inline and nothing from other sites; `connect-src` is for the search of the script. */
const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
}

const keep = 'public, max-age=31536000, immutable'
const check = 'no-cache'

/** Serves a file of this folder under an address with its hash, and returns that address. */
const serveFile = (app: App, name: string, type: string): string => {
  const document = staticDocument(readFileSync(join(import.meta.dirname, name)), type, keep)
  const address = `/docs/assets/${document.hash}/${name}`
  app.get(address, options, document.send)
  return address
}

/** Turns links from a page to files of the repository into links to pages; undefined for a file that is not a page. */
const linksOf =
  (from: Page, pages: readonly Page[], base: string, makeAddress: (slug: string) => string): MakeLink =>
  (href) => {
    if (/^[a-z][a-z+.-]*:/.test(href) || href.startsWith('#')) return href
    const [path = '', anchor] = href.split('#')
    const file = posix.join(posix.dirname(from.file), path)
    if (file === 'docs/openapi.json') return `${base}/openapi.json`
    const slug = slugOfFile(file, pages)
    return slug && makeAddress(slug) + (anchor === undefined ? '' : `#${anchor}`)
  }

const llmsText = (publicUrl: string, pages: readonly Page[]): string => {
  const groups = [...Map.groupBy(pages, ({ group }) => group)].map(([group, own]) => {
    const links = own.map(({ slug, title }) => `- [${title}](${publicUrl}/docs/${slug}.md)`)
    return `## ${group}\n\n${links.join('\n')}`
  })
  return [
    '# Payin',
    '> Merchant payment acceptance by bank transfer: a merchant creates a payment, its user sends the money from a bank app, Payin finds the payment it was for and notifies the merchant, which acknowledges it.',
    `The API is described by [an OpenAPI document](${publicUrl}/openapi.json). Begin with the quick start.`,
    ...groups,
    '',
  ].join('\n\n')
}

type Document = ReturnType<typeof staticDocument>

/** The documentation of one service. Each document is made when it is first requested. */
class Site {
  readonly #pages: ReadonlyMap<string, Page>
  readonly #documents = new Map<string, Document>()
  readonly #publicUrl: string
  readonly frame: Frame
  #search: Search | undefined

  constructor(document: OpenApiDocument, publicUrl: string, files: Pick<Frame, 'base' | 'style' | 'script'>) {
    const pages = readPages(document, publicUrl)
    this.#pages = new Map(pages.map((page) => [page.slug, page]))
    this.#publicUrl = publicUrl
    this.frame = { ...files, pages }
  }

  search(query: string) {
    this.#search ??= openSearch([...this.#pages.values()])
    return this.#search(query)
  }

  /** The document with a name under `/docs/`: a page, or a page as Markdown; undefined if there is none. */
  document(name: string): Document | undefined {
    const isSource = name.endsWith('.md')
    const page = this.#pages.get(isSource ? name.slice(0, -'.md'.length) : name)
    if (!page) return undefined
    return this.#keep(name, isSource ? markdown : html, () => (isSource ? this.#write(page) : this.#show(page)))
  }

  llms(): Document {
    return this.#keep('llms.txt', text, () => llmsText(this.#publicUrl, [...this.#pages.values()]))
  }

  /** A page as Markdown. Its links are absolute and lead to pages as Markdown. */
  #write(page: Page): string {
    const makeAddress = (slug: string): string => `${this.#publicUrl}/docs/${slug}.md`
    const makeLink = linksOf(page, [...this.#pages.values()], this.#publicUrl, makeAddress)
    return linkMarkdown(page.markdown, makeLink)
  }

  #show(page: Page): string {
    const { base } = this.frame
    const makeLink = linksOf(page, [...this.#pages.values()], base, (slug) => addressOf(base, slug))
    return showPage(this.frame, page, renderMarkdown(page.markdown, makeLink))
  }

  #keep(name: string, type: string, make: () => string): Document {
    const kept = this.#documents.get(name) ?? staticDocument(Buffer.from(make()), type, check)
    this.#documents.set(name, kept)
    return kept
  }
}

const queryOf = (request: FastifyRequest): string => {
  const { q } = request.query as { readonly q?: unknown }
  return typeof q === 'string' ? q : ''
}

/** Serves the documentation for integrators under `/docs`, made from `docs/` and the OpenAPI document. */
export const registerDocs = (app: App, context: Context, describeApi: () => OpenApiDocument): void => {
  const publicUrl = context.settings.publicUrl.replace(/\/$/, '')
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  const style = base + serveFile(app, 'docs.css', 'text/css; charset=utf-8')
  const script = base + serveFile(app, 'docs.js', 'text/javascript; charset=utf-8')
  let made: Site | undefined
  const site = (): Site => (made ??= new Site(describeApi(), publicUrl, { base, style, script }))

  const send = (request: FastifyRequest, reply: FastifyReply, name: string): FastifyReply => {
    void reply.headers(pageHeaders)
    const document = site().document(name)
    return document ? document.send(request, reply) : reply.code(404).type(html).send(showMissing(site().frame))
  }
  // The router takes targets of other forms, such as `*`, for the root.
  app.get('/', options, (request, reply) =>
    /^\/(?:\?|$)/.test(request.raw.url ?? '') ? reply.redirect(`${base}/docs`, 303) : reply.callNotFound(),
  )
  app.get('/docs', options, (request, reply) => send(request, reply, 'index'))
  app.get('/docs.md', options, (request, reply) => send(request, reply, 'index.md'))
  app.get<{ Params: { name: string } }>('/docs/:name', options, (request, reply) =>
    send(request, reply, request.params.name),
  )
  app.get('/docs/search', options, (request, reply) => {
    const query = queryOf(request)
    const found = site().search(query)
    void reply.headers(pageHeaders).header('cache-control', check)
    if (request.headers.accept === 'application/json')
      return reply.send(found.map((each) => ({ ...each, address: addressOf(base, each.slug) })))
    return reply.type(html).send(showSearch(site().frame, query, found))
  })
  app.get('/llms.txt', options, (request, reply) => site().llms().send(request, reply))
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import type { App } from '../routes/app.ts'
import { staticDocument } from '../routes/static-document.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import type { Site } from './site.ts'

const options = { schema: { hide: true } }

const html = 'text/html; charset=utf-8'

/** Nothing inline and nothing from other sites. */
const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
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

const queryOf = (request: FastifyRequest): string => {
  const { q } = request.query as { readonly q?: unknown }
  return typeof q === 'string' ? q : ''
}

/** Serves the documentation for integrators under `/docs`, made from `docs/` and the OpenAPI document. */
export const registerDocs = (app: App, context: Context, describeApi: () => Promise<OpenApiDocument>): void => {
  const publicUrl = context.settings.publicUrl.replace(/\/$/, '')
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  const style = base + serveFile(app, 'docs.css', 'text/css; charset=utf-8')
  const script = base + serveFile(app, 'page-extras.js', 'text/javascript; charset=utf-8')
  let made: Site | undefined
  // Loaded with the first page: with its packages it takes 3 MB.
  const makeSite = async (): Promise<Site> => {
    const [{ Site }, document] = await Promise.all([import('./site.ts'), describeApi()])
    return new Site(document, publicUrl, { base, style, script })
  }
  const site = async (): Promise<Site> => (made ??= await makeSite())

  const send = async (request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> => {
    void reply.headers(pageHeaders)
    const opened = await site()
    const document = opened.document(name)
    return document ? document.send(request, reply) : reply.code(404).type(html).send(opened.showMissing())
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
  app.get('/docs/search', options, async (request, reply) => {
    const query = queryOf(request)
    const opened = await site()
    void reply.headers(pageHeaders).header('cache-control', check)
    return reply.type(html).send(opened.showSearch(query))
  })
  // An address with a slash at its end is that of the page.
  for (const path of ['/docs/', '/docs/:name/'])
    app.get(path, options, (request, reply) => reply.redirect(`${base}${request.url.replace(/\/(?=\?|$)/, '')}`, 308))
  app.get('/llms-full.txt', options, async (request, reply) => (await site()).llmsFull().send(request, reply))
  app.get('/llms.txt', options, async (request, reply) => (await site()).llms().send(request, reply))
}

import { resolve } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../routes/app.ts'
import { BuiltSite } from './built-site.ts'
import { searchSections, showSearch } from './search-pages.ts'

/** Where `site/build-site.ts` puts the documentation. */
const builtSite = resolve(import.meta.dirname, '..', '..', '..', 'site', 'dist')

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

const notBuilt =
  'The documentation is being built. If that takes longer than a minute, the log of the service says why, and `npm run build:site` builds it again.\n'

const queryOf = (request: FastifyRequest): string => {
  const { q } = request.query as { readonly q?: unknown }
  return typeof q === 'string' ? q : ''
}

/** Serves the documentation for integrators under `/docs` from the folder in which it was built. */
export const registerDocs = (app: App, publicUrl: string, folder = builtSite): void => {
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  const site = new BuiltSite(folder, { url: publicUrl, base })

  const hidden = { schema: { hide: true } }
  const fromSite = {
    ...hidden,
    preHandler: async (_request: FastifyRequest, reply: FastifyReply) =>
      (await site.isBuilt())
        ? undefined
        : reply.code(503).headers({ 'retry-after': 3, refresh: 3, 'cache-control': 'no-store' }).send(notBuilt),
  }
  const sendFile = async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> => {
    const file = await site.document(path)
    if (file) return file.send(request, reply)
    reply.callNotFound()
    return reply
  }
  const sendPage = async (request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> => {
    void reply.headers(pageHeaders)
    const page = await site.document(`docs/${name.endsWith('.md') ? name : `${name}.html`}`)
    if (page) return page.send(request, reply)
    void reply.code(404).type(html)
    return reply.send(await site.text('missing.html'))
  }

  // The router takes targets of other forms, such as `*`, for the root.
  app.get('/', hidden, (request, reply) =>
    /^\/(?:\?|$)/.test(request.raw.url ?? '') ? reply.redirect(`${base}/docs`, 303) : reply.callNotFound(),
  )
  app.get('/docs', fromSite, (request, reply) => sendPage(request, reply, 'index'))
  app.get('/docs.md', fromSite, (request, reply) => sendPage(request, reply, 'index.md'))
  app.get<{ Params: { name: string } }>('/docs/:name', fromSite, (request, reply) =>
    sendPage(request, reply, request.params.name),
  )
  app.get('/docs/search', fromSite, async (request, reply) => {
    const query = queryOf(request)
    const found = searchSections(await site.sections(), query)
    const page = showSearch((await site.text('search.html')) ?? '', query, found)
    void reply.headers({ ...pageHeaders, 'cache-control': 'no-cache' }).type(html)
    return reply.send(page)
  })
  app.get<{ Params: { hash: string; name: string } }>('/docs/assets/:hash/:name', fromSite, (request, reply) =>
    sendFile(request, reply, `assets/${request.params.hash}/${request.params.name}`),
  )
  // An address with a slash at its end is that of the page.
  for (const path of ['/docs/', '/docs/:name/'])
    app.get(path, hidden, (request, reply) => reply.redirect(`${base}${request.url.replace(/\/(?=\?|$)/, '')}`, 308))
  for (const name of ['llms.txt', 'llms-full.txt'])
    app.get(`/${name}`, fromSite, (request, reply) => sendFile(request, reply, name))
}

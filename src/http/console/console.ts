import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../rules/refusal.ts'
import { pageNonce } from '../../secrets/one-time-token.ts'
import type { App } from '../routes/app.ts'
import { readConsolePage, sendConsoleFile } from './console-files.ts'
import { showMissingConsole } from './show-missing-console.ts'

const options = { schema: { hide: true } }

/** What the console may load: its own files, and styles with the nonce of this response. Nobody may frame it. */
const contentPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const sendPage = async (reply: FastifyReply): Promise<FastifyReply> => {
  const nonce = pageNonce()
  const page = await readConsolePage()
  void reply.type('text/html; charset=utf-8').headers({
    'content-security-policy': contentPolicy(nonce),
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
    // With the default, no-referrer, browsers would send `Origin: null` with the console's forms.
    'referrer-policy': 'same-origin',
  })
  if (page !== undefined) return reply.send(page.replaceAll('{nonce}', nonce))
  return reply.code(503).header('retry-after', 3).send(showMissingConsole(nonce))
}

/** Serves the console at `/console`: its page at every address without a dot, or a notice until it has been built. */
export const registerConsole = (app: App): void => {
  app.get('/console', options, (_request, reply) => reply.redirect('/console/', 308))
  app.get<{ Params: { file: string } }>('/console/assets/:file', options, async (request, reply) => {
    if (!(await sendConsoleFile(request, reply, request.params.file)))
      throw new Refusal('route_not_found', 'There is no such file of the console.')
    return reply
  })
  app.get('/console/*', options, (request: FastifyRequest, reply) => {
    const [path = ''] = request.url.split('?')
    if (path.includes('.')) throw new Refusal('route_not_found', 'There is no such file of the console.')
    return sendPage(reply)
  })
}

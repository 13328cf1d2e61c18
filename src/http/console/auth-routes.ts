import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { authOf } from '../../members/find-member.ts'
import type { App } from '../app.ts'

/** Where the operations of the authentication library are; see src/members/auth/open-auth.ts. */
const base = '/console/auth'
const addressHeader = 'x-payin-client-address'

/** The operations of the library that the console needs; the others do not exist. */
const operations = [
  'GET /get-session',
  'POST /sign-in/email',
  'POST /sign-out',
  'GET /list-sessions',
  'POST /revoke-session',
  'POST /revoke-other-sessions',
  'POST /change-password',
  'POST /two-factor/enable',
  'POST /two-factor/verify-totp',
  'POST /two-factor/verify-backup-code',
  'POST /two-factor/generate-backup-codes',
  'POST /two-factor/renew',
  'POST /two-factor/confirm-renewed',
  'GET /passkey/generate-register-options',
  'POST /passkey/verify-registration',
  'GET /passkey/generate-authenticate-options',
  'POST /passkey/verify-authentication',
  'GET /passkey/list-user-passkeys',
  'POST /passkey/update-passkey',
  'POST /passkey/delete-passkey',
] as const

/** What the library needs to know of a request; the address is the one that we know, not one that the client names. */
const forward = (context: Context, request: FastifyRequest): Request => {
  const headers = new Headers({ [addressHeader]: request.ip })
  for (const name of [
    'cookie',
    'origin',
    'referer',
    'user-agent',
    'sec-fetch-site',
    'sec-fetch-mode',
    'sec-fetch-dest',
  ]) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  // The address that was matched, not the one that was written.
  const [, query] = (request.raw.url ?? '').split('?', 2)
  const url = new URL(request.routeOptions.url ?? '/', context.settings.publicUrl)
  url.search = query ?? ''
  if (request.method === 'GET') return new Request(url, { headers })
  headers.set('content-type', 'application/json')
  return new Request(url, { method: request.method, headers, body: JSON.stringify(request.body ?? {}) })
}

/** The operations of the authentication library, for the console in a browser of our own origin only. */
export const registerAuthRoutes = (app: App, context: Context): void => {
  const { origin } = new URL(context.settings.publicUrl)
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.headers.origin !== undefined && request.headers.origin !== origin)
      throw new Refusal('browser_not_allowed', 'The request was sent by a page of another site.')
    const { handler } = await authOf(context)
    const answer = await handler(forward(context, request))
    void reply.code(answer.status).header('cache-control', 'no-store')
    for (const [name, value] of answer.headers)
      if (name !== 'set-cookie' && name !== 'content-length') void reply.header(name, value)
    const cookies = answer.headers.getSetCookie()
    if (cookies.length > 0) void reply.header('set-cookie', cookies)
    return reply.send(Buffer.from(await answer.arrayBuffer()))
  }
  for (const operation of operations) {
    const [method, path] = operation.split(' ') as ['GET' | 'POST', string]
    app.route({ method, url: `${base}${path}`, schema: { hide: true }, exposeHeadRoute: false, handler: handle })
  }
}

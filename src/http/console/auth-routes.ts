import type { TSchema } from 'typebox'
import { type Static, Type } from '../../operations/schema.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { passwordLength } from '../../rules/members/member.ts'
import { Refusal } from '../../rules/refusal.ts'
import { authOf } from '../../engine/members/find-member.ts'
import { addressGroup } from '../access/address-group.ts'
import type { App } from '../routes/app.ts'
import { Id, NoBody } from '../../operations/fields.ts'
import { MemberEmail, MemberName } from '../../operations/members.ts'
import { memberRoles } from '../../rules/members/access.ts'
import { acceptInvitation, readInvitation } from '../../engine/members/invite-member.ts'

/** Where the operations of the authentication library are; see src/engine/members/auth/open-auth.ts. */
const base = '/console/auth'
const addressHeader = 'x-payin-client-address'
/** The header with what counts as one address in limits. */
const networkHeader = 'x-payin-client-network'

const Password = Type.String({ minLength: 1, maxLength: passwordLength.most })
const Code = Type.String({ pattern: '^[0-9]{6}$' })
const PasskeyName = Type.Printable(60)
/** Base64url text from an authenticator. */
const Bytes = Type.String({ pattern: '^[A-Za-z0-9_-]{1,20000}$' })
const credential = { id: Bytes, rawId: Bytes, type: Type.OneOf(['public-key']) }
const Transport = Type.String({ pattern: '^[a-z-]{1,20}$' })

/**
 * The operations of the library that the console needs, with their bodies; the others do not exist here. The library
 * accepts much more, such as devices that are trusted instead of the second factor or a new session without it, and
 * looks up any text that it gets in the database.
 */
const operations: Readonly<Record<string, TSchema | null>> = {
  'GET /get-session': null,
  'POST /sign-in/email': Type.Exact({ email: MemberEmail, password: Password }),
  'POST /sign-out': NoBody,
  'POST /update-user': Type.Exact({ language: Type.OrNull(Type.String({ pattern: '^[a-z]{2}$' })) }),
  'GET /list-sessions': null,
  'POST /end-session': Type.Exact({ id: Id }),
  'POST /revoke-other-sessions': NoBody,
  'POST /change-password': Type.Exact({ currentPassword: Password, newPassword: Password }),
  'POST /two-factor/enable': Type.Exact({ password: Password }),
  'POST /two-factor/verify-totp': Type.Exact({ code: Code }),
  'POST /two-factor/verify-backup-code': Type.Exact({ code: Type.String({ pattern: '^[A-Za-z0-9-]{1,40}$' }) }),
  'POST /two-factor/generate-backup-codes': Type.Exact({ password: Password }),
  'POST /two-factor/renew': NoBody,
  'POST /two-factor/confirm-renewed': Type.Exact({ code: Code }),
  'GET /passkey/generate-register-options': null,
  'POST /passkey/verify-registration': Type.Exact({
    response: Type.Object({
      ...credential,
      response: Type.Object({
        clientDataJSON: Bytes,
        attestationObject: Bytes,
        'transports?': Type.Array(Transport, { maxItems: 10 }),
      }),
    }),
    'name?': PasskeyName,
  }),
  'GET /passkey/generate-authenticate-options': null,
  'POST /passkey/verify-authentication': Type.Exact({
    response: Type.Object({
      ...credential,
      response: Type.Object({ clientDataJSON: Bytes, authenticatorData: Bytes, signature: Bytes }),
    }),
  }),
  'GET /passkey/list-user-passkeys': null,
  'POST /passkey/update-passkey': Type.Exact({ id: Id, name: PasskeyName }),
  'POST /passkey/delete-passkey': Type.Exact({ id: Id }),
}

/** A request for the library. The client's address is the one that we determined, not one that the client names. */
const forward = (context: Context, request: FastifyRequest): Request => {
  const headers = new Headers({ [addressHeader]: request.ip, [networkHeader]: addressGroup(request.ip) })
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
  // The address of the matched route, not the text that was sent, and without a query: the console sends none.
  const url = new URL(request.routeOptions.url ?? '/', context.settings.publicUrl)
  if (request.method === 'GET') return new Request(url, { headers })
  headers.set('content-type', 'application/json')
  return new Request(url, { method: request.method, headers, body: JSON.stringify(request.body ?? {}) })
}

/** A response without session tokens, which the library adds to many: they belong in cookies no script can read. */
const withoutTokens = (text: string): string =>
  text === ''
    ? text
    : JSON.stringify(JSON.parse(text, (name, value: unknown) => (name === 'token' ? undefined : value)))

/** Serves the operations of the authentication library to the console, for pages of our own origin only. */
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
    return reply.send(withoutTokens(await answer.text()))
  }
  for (const [operation, body] of Object.entries(operations)) {
    const [method, path] = operation.split(' ') as ['GET' | 'POST', string]
    const schema = { hide: true, ...(body === null ? {} : { body }) }
    app.route({ method, url: `${base}${path}`, schema, exposeHeadRoute: false, handler: handle })
  }
}

const Token = Type.String({ minLength: 43, maxLength: 43 })
const Invited = Type.Object({ name: Type.String(), email: Type.String(), role: Type.OneOf(memberRoles) })

const Acceptance = Type.Exact({
  token: Token,
  password: Type.String({ minLength: passwordLength.least, maxLength: passwordLength.most }),
  // Only for links that leave them open, such as that of the first owner.
  'name?': MemberName,
  'email?': MemberEmail,
})

const toAnswer = ({ name, email, role }: Readonly<Static<typeof Invited>>) => ({ name, email, role })

const ended = (): Refusal =>
  new Refusal('resource_not_found', 'This link has been used, has expired, or is incomplete. Ask for another one.')

/** Serves the page of an invitation. It needs only the token of the link, no session. */
export const registerInvitationRoutes = (app: App, context: Context): void => {
  app.post(
    '/console/invitations/show',
    { schema: { hide: true, body: Type.Exact({ token: Token }), response: { 200: Invited } } },
    async (request) => {
      const invited = await readInvitation(context, request.body.token)
      if (!invited) throw ended()
      return toAnswer(invited)
    },
  )
  app.post(
    '/console/invitations/accept',
    { schema: { hide: true, body: Acceptance, response: { 200: Invited } } },
    async (request) => {
      const invited = await acceptInvitation(context, request.body)
      if (!invited) throw ended()
      return toAnswer(invited)
    },
  )
}

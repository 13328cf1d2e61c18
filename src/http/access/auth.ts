import type { FastifyRequest } from 'fastify'
import type { Scope, Duty, Role } from '../../rules/members/access.ts'
import { Refusal, type RefusalCode } from '../../rules/refusal.ts'
import type { Context } from '../../engine/context.ts'
import { second } from '../../rules/time.ts'
import { authenticateToken, callerOfMember, type Caller } from '../../engine/merchants/authenticate-token.ts'
import { noteTokenUse } from '../../engine/token-uses/note-token-use.ts'
import { type MatchAddress, matchAddresses } from './address-list.ts'
import { isOfConsole, memberOfSession, noteAccess } from './console-session.ts'
import type { App } from '../routes/app.ts'
import { countHeader } from '../routes/count-header.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The merchant's token or the session of its member, with its profile; set on every route of the merchant API. */
    caller: Caller
    /** Name of the operator; set on every route of the operator API. */
    operator: string
    /** What proved who sends it, as the audit records it; set together with the operator or the caller. */
    credential: string
    /** The operator's role; set together with the name. */
    role: Role
  }
  interface FastifyContextConfig {
    /** Scope that the caller's token must have. */
    scope?: Scope
    /** Whether only tokens may call it, not sessions of the console. */
    isForTokens?: boolean
    /** Whether each merchant may have only a few of these requests running at once. */
    takesTurns?: boolean
    /** Duty that the operator's role must have. */
    duty?: Duty
    /** Codes with which the operation may refuse, as declared in the OpenAPI document. */
    refusals?: ReadonlySet<RefusalCode>
  }
}

/** The bearer token of a request. Refuses `token_missing`, `token_invalid`. */
export const bearerToken = (request: FastifyRequest): string => {
  const header = request.headers.authorization
  if (header === undefined || header === '') {
    throw new Refusal('token_missing', 'Send the access token as "Authorization: Bearer <token>".')
  }
  const token = /^Bearer +([\x21-\x7e]{1,300})$/i.exec(header)?.[1]
  // Two Authorization headers are ambiguous: a proxy may check one and we the other.
  if (countHeader(request.raw, 'authorization') > 1 || token === undefined)
    throw new Refusal('token_invalid', 'The Authorization header must be exactly one Bearer token.')
  return token
}

/** Refuses requests that a browser marks as its own: the API is for servers (docs/contract.md §5). */
export const refuseBrowser = (request: FastifyRequest): void => {
  if (request.headers.origin !== undefined || request.headers['sec-fetch-site'] !== undefined) {
    throw new Refusal('browser_not_allowed', 'Requests must come from a server, not from a browser.')
  }
}

const matchers = new WeakMap<readonly string[], MatchAddress>()

/** Whether a list of addresses and CIDR networks contains an address; an empty list allows all. */
const isAllowed = (list: readonly string[], address: string): boolean => {
  if (list.length === 0) return true
  const known = matchers.get(list)
  if (known) return known(address)
  const match = matchAddresses(list)
  matchers.set(list, match)
  return match(address)
}

const callerOfToken = (context: Context, request: FastifyRequest): Promise<Caller> => {
  refuseBrowser(request)
  return authenticateToken(context, bearerToken(request))
}

const callerOfSession = async (context: Context, request: FastifyRequest): Promise<Caller> => {
  const member = await memberOfSession(context, request)
  const { name, position } = member
  if (position.kind !== 'merchant')
    throw new Refusal('role_missing', `This is for members of a merchant; ${name} is not one.`)
  noteAccess(request, member)
  if (request.routeOptions.config.isForTokens)
    throw new Refusal('browser_not_allowed', 'This needs an access token; the console cannot do it.')
  return callerOfMember(context, { name, ...position })
}

/** How long the check at the beginning of a request holds, in milliseconds. */
const believedForMs = second

/**
 * Authenticates each request of a scope when it begins, and again before validation if more than a second has passed:
 * access that is revoked meanwhile must not be used by a body that arrives slowly.
 */
export const authenticateRequests = (app: App, authenticateOne: (request: FastifyRequest) => Promise<void>): void => {
  app.addHook('onRequest', authenticateOne)
  app.addHook('preValidation', (request, reply, done) => {
    if (reply.elapsedTime <= believedForMs) return done()
    authenticateOne(request).then(() => done(), done)
  })
}

/**
 * Authenticates a request of the merchant API, by a token or by a session of the console, and checks its address and
 * scope. A session of a member becomes a caller like a token, so the same checks keep merchants apart.
 */
export const authenticate = async (context: Context, request: FastifyRequest): Promise<void> => {
  const find = isOfConsole(request) ? callerOfSession : callerOfToken
  const caller = await find(context, request)
  request.caller = caller
  if (caller.member === null) request.credential = `token:${caller.tokenId}`
  if (!isAllowed(caller.allowList, request.ip)) {
    throw new Refusal('address_not_allowed', 'The access token is not allowed from this address.')
  }
  if (caller.member === null) noteTokenUse(context, caller.tokenId)
  const { scope } = request.routeOptions.config
  if (scope !== undefined && !caller.scopes.includes(scope)) {
    const who = caller.member === null ? 'The access token' : caller.member
    throw new Refusal('scope_missing', `${who} lacks the scope ${scope}.`)
  }
}

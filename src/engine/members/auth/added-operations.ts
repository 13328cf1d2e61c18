import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { generateRandomString, symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import type { Context } from '../../context.ts'
import { verifiedForMs } from '../../../rules/members/member.ts'
import { forLibrary, fromLibrary } from './library-dates.ts'
import { authenticatorAddress, isOneTimeCode } from '../../../secrets/one-time-code.ts'

// Replaces a member's authenticator: the old one works until the new one has produced a code.

/** The operation that begins with a new authenticator, and the one that activates it. */
export const renewPaths = { begin: '/two-factor/renew', confirm: '/two-factor/confirm-renewed' } as const

const nameOf = (memberId: string): string => `authenticator:${memberId}`

/** Two operations for members with a second factor: a new secret, and the code that proves that it was saved. */
export const renewAuthenticator = (context: Context): BetterAuthPlugin => ({
  id: 'renew-authenticator',
  endpoints: {
    renewAuthenticator: createAuthEndpoint(
      renewPaths.begin,
      { method: 'POST', use: [sessionMiddleware] },
      async (request) => {
        const { internalAdapter, secretConfig, session } = request.context
        const secret = generateRandomString(32)
        await internalAdapter.deleteVerificationByIdentifier(nameOf(session.user.id))
        await internalAdapter.createVerificationValue({
          identifier: nameOf(session.user.id),
          value: await symmetricEncrypt({ key: secretConfig, data: secret }),
          expiresAt: forLibrary(context, context.clock() + verifiedForMs),
        })
        return request.json({ totpURI: authenticatorAddress(secret, session.user.email) })
      },
    ),
    confirmAuthenticator: createAuthEndpoint(
      renewPaths.confirm,
      { method: 'POST', use: [sessionMiddleware] },
      async (request) => {
        const { internalAdapter, secretConfig, session, adapter } = request.context
        const { code } = (request.body ?? {}) as { code?: unknown }
        const identifier = nameOf(session.user.id)
        const pending = await internalAdapter.findVerificationValue(identifier)
        if (!pending || fromLibrary(context, pending.expiresAt) < context.clock())
          throw new APIError('BAD_REQUEST', { code: 'NOTHING_TO_CONFIRM', message: 'Begin again: this took too long.' })
        const secret = await symmetricDecrypt({ key: secretConfig, data: pending.value })
        if (typeof code !== 'string' || !isOneTimeCode(secret, code, context.clock()))
          throw new APIError('UNAUTHORIZED', {
            code: 'INVALID_CODE',
            message: 'The new authenticator shows another code.',
          })
        await adapter.update({
          model: 'twoFactor',
          where: [{ field: 'userId', value: session.user.id }],
          update: { secret: pending.value },
        })
        await internalAdapter.deleteVerificationByIdentifier(identifier)
        return request.json({ status: true })
      },
    ),
  },
})

// Ends one of the member's own sessions by its id: the library requires its token, which every page that lists sessions
// would then have.

export const endSessionPath = '/end-session'

/** An operation of a member: ends one of its own sessions. */
export const endSession = (): BetterAuthPlugin => ({
  id: 'end-session',
  endpoints: {
    endSession: createAuthEndpoint(endSessionPath, { method: 'POST', use: [sessionMiddleware] }, async (request) => {
      const { internalAdapter, session } = request.context
      const { id } = (request.body ?? {}) as { id?: unknown }
      const own = await internalAdapter.listSessions(session.user.id)
      const ended = own.find((each) => each.id === id)
      if (!ended) throw new APIError('NOT_FOUND', { code: 'SESSION_NOT_FOUND', message: 'There is no such session.' })
      await internalAdapter.deleteSession(ended.token)
      return request.json({ status: true })
    }),
  },
})

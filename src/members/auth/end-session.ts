// Ending one of the own sessions by its id: the library takes its token, which then every page that lists sessions would have.
import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api'

/** The operation that ends a session. */
export const endSessionPath = '/end-session'

/** An operation of a member: ends one of the own sessions. */
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

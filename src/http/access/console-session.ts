import type { FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { needsFreshVerification, verifiedForMs } from '../../rules/members/member.ts'
import { Refusal } from '../../rules/refusal.ts'
import { findMember, type Member } from '../../engine/members/find-member.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of the console that authenticated the request. */
    sessionId?: string
  }
}

/**
 * Marks a request of the console. A page of another site cannot send it: its browser would first ask for permission
 * (CORS), which the service never gives.
 */
const consoleHeader = 'x-payin-console'

/** Whether a request is authenticated by the session in its cookie: it comes from the console and has no token. */
export const isOfConsole = ({ headers, method }: FastifyRequest): boolean => {
  // Downloads are plain links, which cannot send our header. Browsers say that a page of this site opened them.
  const isOwnLink = method === 'GET' && headers['sec-fetch-site'] === 'same-origin' && headers.cookie !== undefined
  return headers.authorization === undefined && (headers[consoleHeader] !== undefined || isOwnLink)
}

const refuseOtherSite = (context: Context, { headers }: FastifyRequest): void => {
  const isForeign = headers.origin !== undefined && headers.origin !== new URL(context.settings.publicUrl).origin
  const site = headers['sec-fetch-site']
  if (isForeign || (site !== undefined && site !== 'same-origin'))
    throw new Refusal('browser_not_allowed', 'The request was sent by a page of another site.')
}

/**
 * The member whose session sent a request of the console. Refuses `browser_not_allowed` for pages of other sites,
 * `session_missing`, `second_factor_missing`, and `verification_required` for what needs a fresh code.
 */
export const memberOfSession = async (context: Context, request: FastifyRequest): Promise<Member> => {
  refuseOtherSite(context, request)
  const member = await findMember(context, request.headers.cookie)
  if (!member)
    throw new Refusal('session_missing', 'Nobody is signed in to the console here, or the session has ended.')
  if (member.verifiedAt === null)
    throw new Refusal('second_factor_missing', 'The account has no second factor: set one up first.')
  const { duty, scope } = request.routeOptions.config
  const subject = duty ?? scope
  const isChange = request.method !== 'GET' && request.method !== 'HEAD'
  const isOld = member.verifiedAt < context.clock() - verifiedForMs
  if (isOld && subject !== undefined && needsFreshVerification(subject, isChange))
    throw new Refusal('verification_required', 'This needs a second-factor code entered in the last 15 minutes.')
  return member
}

/** Notes on a request which member of the console sent it. */
export const noteAccess = (request: FastifyRequest, { sessionId, memberId }: Member): void => {
  request.credential = `account:${memberId}`
  request.sessionId = sessionId
}

import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { needsFreshVerification, verifiedForMs } from '../domain/member.ts'
import { Refusal } from '../domain/refusal.ts'
import { type ConsoleAccess, findMember, type Member, type Position } from '../members/find-member.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** By which session of the console, and as what, a request was authenticated. */
    consoleAccess?: ConsoleAccess
  }
}

/** The header that makes a request one of the console's: a page of another site cannot send it without being asked. */
const consoleHeader = 'x-payin-console'

/** Whether a request is to be authenticated by the session of its cookie: it has no token, and the console sent it. */
export const isOfConsole = ({ headers, method }: FastifyRequest): boolean => {
  // A download is a link of a page, which sends no header of ours; browsers say that it is a page of this site.
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
 * The member whose session a request of the console has. Refuses `browser_not_allowed` for pages of other sites,
 * `session_missing`, `second_factor_missing`, and `verification_required` for a change that needs a fresh code.
 */
export const memberOfSession = async (context: Context, request: FastifyRequest): Promise<Member> => {
  refuseOtherSite(context, request)
  const member = await findMember(context, request.headers.cookie)
  if (!member)
    throw new Refusal('session_missing', 'Nobody is signed in to the console here, or the session has ended.')
  if (member.verifiedAt === null)
    throw new Refusal('second_factor_missing', 'The account has no second factor: set one up first.')
  const { duty } = request.routeOptions.config
  const isChange = request.method !== 'GET' && request.method !== 'HEAD'
  const isOld = member.verifiedAt < context.clock() - verifiedForMs
  if (isChange && isOld && duty !== undefined && needsFreshVerification(duty))
    throw new Refusal('verification_required', 'This needs a second-factor code entered in the last 15 minutes.')
  return member
}

/** Notes as what a member of the console acts in a request. */
export const noteAccess = (request: FastifyRequest, { sessionId, memberId }: Member, position: Position): void => {
  const role = position.kind === 'operator' ? position.role : null
  request.consoleAccess = { main: request.tenants.main, sessionId, memberId, tenant: position.tenant, role }
}

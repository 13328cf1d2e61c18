import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { needsFreshVerification, verifiedForMs } from '../../domain/member.ts'
import { duties, mayDo, type Role } from '../../domain/role.ts'
import { findMember } from '../../members/find-member.ts'
import { hashAccessToken } from '../../secrets/access-token.ts'
import { equalHashes } from '../../secrets/equal-hashes.ts'
import { bearerToken, refuseBrowser } from '../auth.ts'

/** The header that makes a request one of the console's: a page of another site cannot send it without being asked. */
export const consoleHeader = 'x-payin-console'

type Caller = { readonly name: string; readonly role: Role }

const operatorOfToken = (context: Context, request: FastifyRequest): Caller => {
  refuseBrowser(request)
  const hash = hashAccessToken(bearerToken(request))
  const operator = context.operators.find(({ tokenHash }) => equalHashes(hash, tokenHash))
  if (!operator) throw new Refusal('token_invalid', 'The operator token is not valid.')
  return operator
}

const refuseOtherSite = (context: Context, { headers }: FastifyRequest): void => {
  const isForeign = headers.origin !== undefined && headers.origin !== new URL(context.settings.publicUrl).origin
  const site = headers['sec-fetch-site']
  if (isForeign || (site !== undefined && site !== 'same-origin'))
    throw new Refusal('browser_not_allowed', 'The request was sent by a page of another site.')
}

const operatorOfSession = async (context: Context, request: FastifyRequest): Promise<Caller> => {
  refuseOtherSite(context, request)
  const member = await findMember(context, request.headers.cookie)
  if (!member)
    throw new Refusal('session_missing', 'Nobody is signed in to the console here, or the session has ended.')
  if (member.verifiedAt === null)
    throw new Refusal('second_factor_missing', 'Set up a second factor first: the account has none.')
  const { duty } = request.routeOptions.config
  const isChange = request.method !== 'GET' && request.method !== 'HEAD'
  const isOld = member.verifiedAt < context.clock() - verifiedForMs
  if (isChange && isOld && duty !== undefined && needsFreshVerification(duty))
    throw new Refusal('verification_required', 'This needs a code of the second factor of the last 15 minutes.')
  return member
}

/** Finds the operator of a request, by a token or by a session of the console, and checks the role. */
export const authenticateOperator = async (context: Context, request: FastifyRequest): Promise<void> => {
  const { headers, method } = request
  // A download is a link of a page, which sends no header of ours; browsers say that it is a page of this site.
  const isOwnLink = method === 'GET' && headers['sec-fetch-site'] === 'same-origin'
  const isConsole = headers.authorization === undefined && (headers[consoleHeader] !== undefined || isOwnLink)
  const { name, role } = isConsole ? await operatorOfSession(context, request) : operatorOfToken(context, request)
  request.operator = name
  request.role = role
  const { duty } = request.routeOptions.config
  if (duty !== undefined && !mayDo(role, duty))
    throw new Refusal('role_missing', `This takes the role ${duties[duty].join(', ')}; ${name} is ${role}.`)
}

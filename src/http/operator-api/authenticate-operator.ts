import type { FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { Refusal } from '../../rules/refusal.ts'
import { duties, type Duty, mayDo, type Role } from '../../rules/members/access.ts'
import { hashAccessToken } from '../../secrets/access-token.ts'
import { equalTexts } from '../../secrets/hashes.ts'
import { noteTokenUse } from '../../engine/token-uses/note-token-use.ts'
import { bearerToken, refuseBrowser } from '../access/auth.ts'
import { isOfConsole, memberOfSession, noteAccess } from '../access/console-session.ts'

type Caller = { readonly name: string; readonly role: Role }

const operatorOfToken = async (context: Context, request: FastifyRequest): Promise<Caller> => {
  refuseBrowser(request)
  const hash = hashAccessToken(bearerToken(request))
  const operator = context.operators.find(({ tokenHash }) => equalTexts(hash, tokenHash))
  if (!operator) throw new Refusal('token_invalid', 'The operator token is not valid.')
  noteTokenUse(context, operator.tokenHash)
  request.credential = `token:${operator.tokenHash.slice(0, 16)}`
  return operator
}

const operatorOfSession = async (context: Context, request: FastifyRequest): Promise<Caller> => {
  const member = await memberOfSession(context, request)
  const { name, position } = member
  if (position.kind !== 'operator')
    throw new Refusal('role_missing', `This is for operators; ${name} is a member of a merchant.`)
  noteAccess(request, member)
  return { name, role: position.role }
}

/** Refuses `role_missing` if the operator of a request may not do what belongs to a duty. */
export const refuseWithoutDuty = ({ operator, role }: FastifyRequest, duty: Duty): void => {
  if (!mayDo(role, duty))
    throw new Refusal('role_missing', `This needs the role ${duties[duty].join(' or ')}; ${operator} is ${role}.`)
}

/**
 * Finds the operator of a request, by a token or by a session of the console, and checks the operator's role. Refuses
 * `role_missing`.
 */
export const authenticateOperator = async (context: Context, request: FastifyRequest): Promise<void> => {
  const find = isOfConsole(request) ? operatorOfSession : operatorOfToken
  const { name, role } = await find(context, request)
  request.operator = name
  request.role = role
  const { duty } = request.routeOptions.config
  if (duty !== undefined) refuseWithoutDuty(request, duty)
}

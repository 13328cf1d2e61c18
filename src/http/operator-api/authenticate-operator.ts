import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { duties, mayDo, type Role } from '../../domain/role.ts'
import { hashAccessToken } from '../../secrets/access-token.ts'
import { equalHashes } from '../../secrets/equal-hashes.ts'
import { noteTokenUse } from '../../token-uses/note-token-use.ts'
import { bearerToken, refuseBrowser } from '../auth.ts'
import { isOfConsole, memberOfSession } from '../console-session.ts'

type Caller = { readonly name: string; readonly role: Role }

const operatorOfToken = (context: Context, request: FastifyRequest): Caller => {
  refuseBrowser(request)
  const hash = hashAccessToken(bearerToken(request))
  const operator = context.operators.find(({ tokenHash }) => equalHashes(hash, tokenHash))
  if (!operator) throw new Refusal('token_invalid', 'The operator token is not valid.')
  noteTokenUse(context, operator.tokenHash)
  return operator
}

const operatorOfSession = async (context: Context, request: FastifyRequest): Promise<Caller> => {
  const { name, position } = await memberOfSession(context, request)
  if (position.kind === 'merchant')
    throw new Refusal('role_missing', `This takes an operator; ${name} is a member of a merchant.`)
  return { name, role: position.role }
}

/** Finds the operator of a request, by a token or by a session of the console, and checks the role. */
export const authenticateOperator = async (context: Context, request: FastifyRequest): Promise<void> => {
  const find = isOfConsole(request) ? operatorOfSession : operatorOfToken
  const { name, role } = await find(context, request)
  request.operator = name
  request.role = role
  const { duty } = request.routeOptions.config
  if (duty !== undefined && !mayDo(role, duty))
    throw new Refusal('role_missing', `This takes the role ${duties[duty].join(', ')}; ${name} is ${role}.`)
}

import type { FastifyRequest } from 'fastify'
import type { Operator } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { type Duty, duties, mayDo, type Role } from '../../domain/role.ts'
import { mainTenant } from '../../domain/tenant.ts'
import { readPositions } from '../../members/find-member.ts'
import { hashAccessToken } from '../../secrets/access-token.ts'
import { equalTexts } from '../../secrets/hashes.ts'
import { noteTokenUse } from '../../token-uses/note-token-use.ts'
import { bearerToken, refuseBrowser } from '../auth.ts'
import { isOfConsole, memberOfSession, noteAccess } from '../console-session.ts'
import { namedTenant } from '../find-tenant.ts'
import type { RolesByTenant } from '../routes.ts'

type Caller = {
  readonly name: string
  readonly roleInMain: Role | undefined
  /** Looks up the operator's roles by tenant, for tenants other than `main`. */
  readonly readRoles: () => Promise<RolesByTenant>
  /** Notes on the request in which tenant and role a member acts. */
  readonly act?: (tenant: string, role: Role) => void
}

/** The role that an operator's token has in a tenant; undefined for none. */
export const roleOfToken = ({ role, tenants }: Operator, tenant: string): Role | undefined =>
  tenants === null || tenants.includes(tenant) ? role : undefined

const operatorOfToken = async (request: FastifyRequest): Promise<Caller> => {
  const { main } = request.tenants
  refuseBrowser(request)
  const hash = hashAccessToken(bearerToken(request))
  const operator = main.operators.find(({ tokenHash }) => equalTexts(hash, tokenHash))
  if (!operator) throw new Refusal('token_invalid', 'The operator token is not valid.')
  noteTokenUse(main, operator.tokenHash)
  request.credential = `token:${operator.tokenHash.slice(0, 16)}`
  const roleIn: RolesByTenant = (tenant) => roleOfToken(operator, tenant)
  return { name: operator.name, roleInMain: roleIn(mainTenant), readRoles: () => Promise.resolve(roleIn) }
}

const operatorOfSession = async (request: FastifyRequest): Promise<Caller> => {
  const { main } = request.tenants
  const member = await memberOfSession(main, request)
  const { name, inMain } = member
  if (inMain?.kind === 'merchant')
    throw new Refusal('role_missing', `This is for operators; ${name} is a member of a merchant.`)
  const readRoles = async (): Promise<RolesByTenant> => {
    const positions = await readPositions(main, member)
    return (tenant) => {
      const position = positions.get(tenant)
      return position?.kind === 'operator' ? position.role : undefined
    }
  }
  const act: Caller['act'] = (tenant, role) => noteAccess(request, member, { kind: 'operator', tenant, role })
  return { name, roleInMain: inMain?.role, readRoles, act }
}

const missing = (duty: Duty, { operator }: FastifyRequest, is: string): Refusal =>
  new Refusal('role_missing', `This needs the role ${duties[duty].join(' or ')}; ${operator} ${is}.`)

/**
 * Refuses `role_missing` unless the operator's role in `main` has a duty, for what belongs to the whole installation.
 */
export const requireInMain = (request: FastifyRequest, duty: Duty): void => {
  const { roleInMain } = request
  if (!roleInMain) throw missing(duty, request, `has no role in ${mainTenant}, to which this belongs`)
  if (!mayDo(roleInMain, duty)) throw missing(duty, request, `is ${roleInMain} in ${mainTenant}, to which this belongs`)
}

/**
 * Finds the operator of a request, by a token or by a session of the console, and the tenant that the request names,
 * and checks the operator's role there. A tenant that does not exist and one in which the operator has no role are
 * refused with the same `role_missing`. For requests to `main` nothing is looked up.
 */
export const authenticateOperator = async (request: FastifyRequest): Promise<void> => {
  const { tenants } = request
  const find = isOfConsole(request) ? operatorOfSession : operatorOfToken
  const caller = await find(request)
  const { name, roleInMain, readRoles } = caller
  Object.assign(request, { operator: name, roleInMain, readRoles })
  const { duty, reach } = request.routeOptions.config
  const named = namedTenant(request)
  if (reach === 'any') return
  const role = named === mainTenant ? roleInMain : (await readRoles())(named)
  const tenant = role && (await tenants.find(named))
  if (!role || !tenant)
    throw new Refusal(
      'role_missing',
      `${name} has no role in ${named === mainTenant ? mainTenant : 'a tenant of that name'}.`,
    )
  request.role = role
  request.otherTenant = tenant === tenants.main ? undefined : tenant
  caller.act?.(named, role)
  if (tenants.isRetired(named) && duty !== 'read')
    throw new Refusal('tenant_retired', `The tenant ${named} is retired: it can be read but not changed.`)
  if (duty !== undefined && !mayDo(role, duty)) throw missing(duty, request, `is ${role}`)
  if (duty !== undefined && reach === 'installation') requireInMain(request, duty)
}

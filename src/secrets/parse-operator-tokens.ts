import { isNameOfService, type Role, roles } from '../domain/role.ts'
import { tenantNameShape } from '../domain/tenant.ts'

/** The token of an operator, with the tenants in which the operator has the role; null for all. */
export type NamedToken = {
  readonly name: string
  readonly role: Role
  readonly tenants: readonly string[] | null
  readonly token: string
}

/** Name of the operator with `PAYIN_OPERATOR_TOKEN`, who is an owner. */
export const mainOperator = 'operator'

const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text)

const isTenant = new RegExp(tenantNameShape)

/**
 * Reads `name/role@tenant+tenant:token,…`: names are short words, the default role is `owner`, the default tenants are
 * all, tokens are long, names and tokens are unique, and names are none of `isNameOfService`. The problem never quotes a token.
 */
export const parseOperatorTokens = (text: string): { value: readonly NamedToken[] } | { problem: string } => {
  const value: NamedToken[] = []
  for (const part of text.split(',')) {
    const [, name, role = 'owner', named, token] =
      /^\s*([a-z0-9][a-z0-9.-]{0,39})(?:\/([a-z]{1,20}))?(?:@([a-z0-9_+]{1,400}))?:([\x21-\x2b\x2d-\x7e]{32,256})\s*$/.exec(
        part,
      ) ?? []
    if (name === undefined || token === undefined || new Set(token).size < 8) {
      return {
        problem:
          'is not a list of name/role:token or name/role@tenant:token with random tokens of 32 to 256 characters',
      }
    }
    if (!isRole(role)) return { problem: `gives ${name} another role than ${roles.join(', ')}` }
    const tenants = named?.split('+') ?? null
    if (tenants?.some((tenant) => !isTenant.test(tenant)))
      return { problem: `gives ${name} a tenant whose name is not valid` }
    if (name === mainOperator || value.some((each) => each.name === name)) {
      return { problem: `gives a name twice, or the name ${mainOperator}` }
    }
    if (isNameOfService(name))
      return { problem: `gives the name ${name}, by which events call what acts automatically` }
    if (value.some((each) => each.token === token)) return { problem: 'gives one token to two operators' }
    value.push({ name, role, tenants, token })
  }
  return { value }
}

import { isNameOfService, type Role, roles } from '../rules/members/access.ts'

export type NamedToken = {
  readonly name: string
  readonly role: Role
  readonly token: string
}

/** Name of the operator with `PAYIN_OPERATOR_TOKEN`, who is an owner. */
export const mainOperator = 'operator'

const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text)

/**
 * Reads `name/role:token,…`: names are short words, the default role is `owner`, tokens are long, names and tokens are
 * unique, and names are none of `isNameOfService`. The problem never quotes a token.
 */
export const parseOperatorTokens = (text: string): { value: readonly NamedToken[] } | { problem: string } => {
  const value: NamedToken[] = []
  for (const part of text.split(',')) {
    const [, name, role = 'owner', token] =
      /^\s*([a-z0-9][a-z0-9.-]{0,39})(?:\/([a-z]{1,20}))?:([\x21-\x2b\x2d-\x7e]{32,256})\s*$/.exec(part) ?? []
    if (name === undefined || token === undefined || new Set(token).size < 8) {
      return { problem: 'is not a list of name/role:token with random tokens of 32 to 256 characters' }
    }
    if (!isRole(role)) return { problem: `gives ${name} another role than ${roles.join(', ')}` }
    if (name === mainOperator || value.some((each) => each.name === name)) {
      return { problem: `gives a name twice, or the name ${mainOperator}` }
    }
    if (isNameOfService(name))
      return { problem: `gives the name ${name}, by which events call what acts automatically` }
    if (value.some((each) => each.token === token)) return { problem: 'gives one token to two operators' }
    value.push({ name, role, token })
  }
  return { value }
}

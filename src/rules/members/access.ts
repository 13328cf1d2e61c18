import type { MerchantMode } from '../merchants/merchant.ts'

/** What an access token may allow; every operation names the scope that it needs. */
export const scopes = [
  'payments:read',
  'payments:write',
  'refunds:write',
  'notifications:read',
  'notifications:write',
  'balance:read',
  'settlements:write',
  'sandbox:simulate',
] as const
export type Scope = (typeof scopes)[number]

/** The scope with which a program may read what operations of each scope are about. */
export const readingScope: Readonly<Record<Scope, Scope>> = {
  'payments:read': 'payments:read',
  'payments:write': 'payments:read',
  'refunds:write': 'payments:read',
  'notifications:read': 'notifications:read',
  'notifications:write': 'notifications:read',
  'balance:read': 'balance:read',
  'settlements:write': 'balance:read',
  'sandbox:simulate': 'payments:read',
}

/** What a member of a merchant may do in the console: only view, or also change. */
export const merchantGrants = ['read', 'write'] as const
export type MerchantGrant = (typeof merchantGrants)[number]

const readScopes = ['payments:read', 'notifications:read', 'balance:read'] as const

/** The scopes of each grant. No grant may simulate money: that is for tests of the merchant's own programs. */
export const scopesOfGrant: Readonly<Record<MerchantGrant, readonly Scope[]>> = {
  read: readScopes,
  write: [...readScopes, 'payments:write', 'refunds:write', 'notifications:write', 'settlements:write'],
}

/** The sender of a request: the merchant, and what its token allows. */
export type Access = {
  /** The token by which its requests are counted. */
  readonly tokenId: string
  readonly merchantId: string
  readonly scopes: readonly Scope[]
  /** Addresses and networks (CIDR) from which the token works; empty for all. */
  readonly allowList: readonly string[]
}

/** The mode as part of the text of a merchant's tokens. */
export const tokenMode = (mode: MerchantMode): 'live' | 'test' => (mode === 'live' ? 'live' : 'test')

/** The roles of operators; `owner` may do everything. */
export const roles = ['owner', 'operator', 'finance', 'support', 'auditor'] as const
export type Role = (typeof roles)[number]

/** The roles of console members: an operator's, or membership of one merchant. */
export const memberRoles = [...roles, 'merchant'] as const
export type MemberRole = (typeof memberRoles)[number]

/** What acts automatically, as events name it: no person may have such a name. */
export const isNameOfService = (name: string): boolean =>
  /^(?:service|bank|payer|merchant|source|simulated(?:-.*)?)$/.test(name)

/** The only table of who may do what: an operation belongs to a duty, and a duty to roles. */
export const duties = {
  /** View everything, and try what would happen. */
  read: roles,
  /** Help payers and merchants, without crediting anybody. */
  support: ['owner', 'operator', 'support'],
  /** Decide which payment money is for, who is refused, and which accounts receive money. */
  decide: ['owner', 'operator'],
  /** View in full the numbers that are masked everywhere else, each with a reason. */
  reveal: ['owner', 'operator', 'finance'],
  /** Import what banks report, set what accounts held, and say what outgoing money was for. */
  reconcile: ['owner', 'operator', 'finance'],
  /** Rates, and money of merchants and of the service: settlements, adjustments, overpayments. */
  account: ['owner', 'finance'],
  /** Merchants and their tokens, terms, limits and endpoints; accounts, sources, banks, rules and channels. */
  configure: ['owner'],
} as const satisfies Readonly<Record<string, readonly Role[]>>
/** The subject of an operation, which decides who may do it. */
export type Duty = keyof typeof duties

/** Whether operators of a role may do what belongs to a duty. */
export const mayDo = (role: Role, duty: Duty): boolean => (duties[duty] as readonly Role[]).includes(role)

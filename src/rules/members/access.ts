import type { MerchantMode } from '../merchants/merchant.ts'

/** What an access token may allow; every operation names the scope that it needs. */
export const scopes = [
  'payments:read',
  'payments:write',
  'notifications:read',
  'notifications:write',
  'balance:read',
  'sandbox:simulate',
] as const
export type Scope = (typeof scopes)[number]

/** The scope with which a program may read what operations of each scope are about. */
export const readingScope: Readonly<Record<Scope, Scope>> = {
  'payments:read': 'payments:read',
  'payments:write': 'payments:read',
  'notifications:read': 'notifications:read',
  'notifications:write': 'notifications:read',
  'balance:read': 'balance:read',
  'sandbox:simulate': 'payments:read',
}

/** What a member of a merchant may do in the console: only view, or also change. */
export const merchantGrants = ['read', 'write'] as const
export type MerchantGrant = (typeof merchantGrants)[number]

const readScopes = ['payments:read', 'notifications:read', 'balance:read'] as const

/** The scopes of each grant. No grant may simulate money: that is for tests of the merchant's own programs. */
export const scopesOfGrant: Readonly<Record<MerchantGrant, readonly Scope[]>> = {
  read: readScopes,
  write: [...readScopes, 'payments:write', 'notifications:write'],
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

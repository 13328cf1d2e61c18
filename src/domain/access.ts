import type { MerchantMode } from './merchant.ts'

/** What an access token may allow; every operation names the scope that it needs. */
export const scopes = [
  'payments:read',
  'payments:write',
  'notifications:read',
  'notifications:write',
  'balance:read',
  'sandbox:simulate',
] as const
/** One of `scopes`. */
export type Scope = (typeof scopes)[number]

/** What a member of a merchant may do in the console: look, or change, too. */
export const merchantGrants = ['read', 'write'] as const
/** One of `merchantGrants`. */
export type MerchantGrant = (typeof merchantGrants)[number]

const readScopes = ['payments:read', 'notifications:read', 'balance:read'] as const

/** The scopes of each grant. Nobody simulates money by hand: that is for tests of the merchant's own programs. */
export const scopesOfGrant: Readonly<Record<MerchantGrant, readonly Scope[]>> = {
  read: readScopes,
  write: [...readScopes, 'payments:write', 'notifications:write'],
}

/** Who sends a request: the merchant, and what its token allows. */
export type Access = {
  /** By which its requests are counted. */
  readonly tokenId: string
  readonly merchantId: string
  readonly scopes: readonly Scope[]
  /** Addresses and networks (CIDR) that the token works from; empty for all. */
  readonly allowList: readonly string[]
}

/** The mode in the text of a merchant's tokens. */
export const tokenMode = (mode: MerchantMode): 'live' | 'test' => (mode === 'live' ? 'live' : 'test')

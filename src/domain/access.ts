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

/** Who sends a request: the merchant, and what its token allows. */
export type Access = {
  readonly tokenId: string
  readonly merchantId: string
  readonly scopes: readonly Scope[]
  /** Addresses and networks (CIDR) that the token works from; empty for all. */
  readonly allowList: readonly string[]
}

/** The mode in the text of a merchant's tokens. */
export const tokenMode = (mode: MerchantMode): 'live' | 'test' => (mode === 'live' ? 'live' : 'test')

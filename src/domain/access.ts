import type { MerchantMode } from './merchant.ts'

/** What an access token may be allowed to do; every operation names the one that it needs. */
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

/** Who is asking: the merchant and what its token allows. */
export type Access = {
  readonly tokenId: string
  readonly merchantId: string
  readonly scopes: readonly Scope[]
  /** Addresses and networks (CIDR) that the token works from; empty for all. */
  readonly allowList: readonly string[]
}

/** Mode of the tokens of a merchant, as it stands in their text. */
export const tokenMode = (mode: MerchantMode): 'live' | 'test' => (mode === 'live' ? 'live' : 'test')

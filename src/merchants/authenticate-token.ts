import type { Context } from '../context.ts'
import type { CatalogPart } from '../database/catalog.ts'
import type { Access } from '../domain/access.ts'
import { Refusal } from '../domain/refusal.ts'
import { hashAccessToken, parseAccessToken } from '../secrets/access-token.ts'
import { type MerchantProfile, merchantDirectory } from './merchant-directory.ts'
import { findToken } from './store.ts'

/** Who is asking: what the token allows, and its merchant. */
export type Caller = Access & { readonly profile: MerchantProfile }

/** Most tokens that a node remembers; beyond, the one that was read first is forgotten. */
const maxRemembered = 10_000

type Token = ReturnType<typeof findToken.decode>

/** Tokens that were read since one was last revoked or shortened, so at most as old as the catalog. */
const rememberedTokens: CatalogPart<Map<string, Token>> = { name: 'tokens', load: async () => new Map() }

const readToken = async (context: Context, hash: string): Promise<Token | undefined> => {
  const remembered = await context.catalog.get(rememberedTokens)
  const known = remembered.get(hash)
  if (known) return known
  const [row] = await context.query(findToken, { hash })
  if (!row) return undefined
  const [oldest] = remembered.keys()
  if (remembered.size >= maxRemembered && oldest !== undefined) remembered.delete(oldest)
  remembered.set(hash, row)
  return row
}

/**
 * Finds the merchant of a bearer token. Refusals: `token_invalid`, `token_expired`, `token_revoked`,
 * `merchant_suspended`.
 */
export const authenticateToken = async (context: Context, token: string): Promise<Caller> => {
  const invalid = (): Refusal => new Refusal('token_invalid', 'The access token is not valid.')
  const mode = parseAccessToken(token)?.mode
  if (mode !== 'live' && mode !== 'test') throw invalid()
  const row = await readToken(context, hashAccessToken(token))
  const profile = row && (await context.catalog.get(merchantDirectory)).get(row.merchantId)
  if (!row || !profile) throw invalid()
  const now = context.clock()
  if (row.revokedAt !== null && row.revokedAt <= now)
    throw new Refusal('token_revoked', 'The access token was revoked.')
  if (row.expiresAt !== null && row.expiresAt <= now)
    throw new Refusal('token_expired', 'The access token has expired.')
  if (profile.merchant.status === 'suspended') {
    throw new Refusal('merchant_suspended', 'The merchant is suspended; talk to the operator of the service.')
  }
  return { tokenId: row.id, merchantId: row.merchantId, scopes: row.scopes, allowList: row.allowList, profile }
}

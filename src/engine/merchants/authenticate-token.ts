import type { Context } from '../context.ts'
import type { CatalogPart } from '../catalog.ts'
import { type Access, type MerchantGrant, scopesOfGrant } from '../../rules/members/access.ts'
import { Refusal } from '../../rules/refusal.ts'
import { hashAccessToken, parseAccessToken } from '../../secrets/access-token.ts'
import { getProfile, type MerchantProfile, merchantDirectory } from './merchant-directory.ts'
import { findToken } from './store.ts'

/** The caller: what the token allows, and its merchant. */
export type Caller = Access & {
  readonly profile: MerchantProfile
  /** Name of the merchant's member whose console session it is; null for a token. */
  readonly member: string | null
}

/** Most tokens that a node remembers; beyond that it forgets the one that was read first. */
const maxRemembered = 10_000

type Token = ReturnType<typeof findToken.decode>

/** Tokens read since one was last revoked or shortened, so never older than the catalog. */
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

/** The profile of a merchant that has a token; if another process has just added it, it is read immediately. */
const readProfile = async ({ catalog }: Context, merchantId: string): Promise<MerchantProfile | undefined> => {
  const known = (await catalog.get(merchantDirectory)).get(merchantId)
  if (known) return known
  catalog.invalidate()
  return (await catalog.get(merchantDirectory)).get(merchantId)
}

/** The merchant of a bearer token. Refuses `token_invalid`, `token_expired`, `token_revoked`, `merchant_suspended`. */
export const authenticateToken = async (context: Context, token: string): Promise<Caller> => {
  const invalid = (): Refusal =>
    new Refusal(
      'token_invalid',
      'There is no such access token. Check that it is complete, and that this Payin issued it.',
    )
  const mode = parseAccessToken(token)?.mode
  if (mode !== 'live' && mode !== 'test') throw invalid()
  const row = await readToken(context, hashAccessToken(token))
  const profile = row && (await readProfile(context, row.merchantId))
  if (!row || !profile) throw invalid()
  const now = context.clock()
  if (row.revokedAt !== null && row.revokedAt <= now)
    throw new Refusal('token_revoked', 'The access token was revoked.')
  if (row.expiresAt !== null && row.expiresAt <= now)
    throw new Refusal('token_expired', 'The access token has expired.')
  refuseSuspended(profile)
  const { id: tokenId, merchantId, scopes, allowList } = row
  return { tokenId, merchantId, scopes, allowList, profile, member: null }
}

const refuseSuspended = ({ merchant }: MerchantProfile): void => {
  if (merchant.status === 'suspended')
    throw new Refusal('merchant_suspended', 'The merchant is suspended; contact the operator of the service.')
}

/** A member of a merchant with a checked session as its caller, with the grant's scopes. Refuses `merchant_suspended`. */
export const callerOfMember = async (
  context: Context,
  { name, merchantId, grant }: { readonly name: string; readonly merchantId: string; readonly grant: MerchantGrant },
): Promise<Caller> => {
  const profile = await getProfile(context, merchantId)
  refuseSuspended(profile)
  return { tokenId: `member:${name}`, merchantId, scopes: scopesOfGrant[grant], allowList: [], profile, member: name }
}

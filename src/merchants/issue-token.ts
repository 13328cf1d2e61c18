import type { Tx } from '../context.ts'
import { type Scope, tokenMode } from '../domain/access.ts'
import type { Instant } from '../domain/time.ts'
import { enterKeys } from '../tenants/enter-keys.ts'
import { generateAccessToken, type RandomSource } from '../secrets/access-token.ts'
import { findMerchant } from './read.ts'
import { insertToken } from './store.ts'

/** A new token; `token` is shown this once and kept nowhere. */
export type IssuedToken = {
  readonly id: string
  readonly merchantId: string
  readonly name: string
  readonly token: string
  readonly prefix: string
  readonly scopes: readonly Scope[]
  readonly allowList: readonly string[]
  readonly expiresAt: Instant | null
}

/** Issues an access token for a merchant; refuses `resource_not_found`. */
export const issueToken = async (
  tx: Tx,
  wanted: {
    readonly merchantId: string
    readonly name: string
    readonly scopes: readonly Scope[]
    readonly allowList: readonly string[]
    readonly expiresAt: Instant | null
  },
  source?: RandomSource,
): Promise<IssuedToken> => {
  const merchant = await findMerchant(tx, wanted.merchantId)
  const { token, hash, prefix } = generateAccessToken(tokenMode(merchant.mode), source)
  const row = { ...wanted, id: tx.newId(), prefix }
  await tx.query(insertToken, { ...row, hash, createdAt: tx.now })
  await enterKeys(tx, 'token', [hash])
  return { ...row, token }
}

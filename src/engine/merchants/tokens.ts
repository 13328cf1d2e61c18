import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../catalog.ts'
import { type Scope, tokenMode } from '../../rules/members/access.ts'
import { invalidState, noSuch, requireRow } from '../../rules/refusal.ts'
import type { Instant } from '../../rules/time.ts'
import { generateAccessToken, type RandomSource } from '../../secrets/access-token.ts'
import { findMerchant } from './read.ts'
import { insertToken, findTokenById, markTokenEnded } from './store.ts'

type TokenWish = {
  readonly merchantId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly allowList: readonly string[]
  readonly expiresAt: Instant | null
}

/** A new token; `token` is shown only this once and not stored. */
export type IssuedToken = TokenWish & { readonly id: string; readonly token: string; readonly prefix: string }

/** Issues an access token for a merchant; refuses `resource_not_found`. */
export const issueToken = async (tx: Tx, wanted: TokenWish, source?: RandomSource): Promise<IssuedToken> => {
  const merchant = await findMerchant(tx, wanted.merchantId)
  const { token, hash, prefix } = generateAccessToken(tokenMode(merchant.mode), source)
  const row = { ...wanted, id: tx.newId(), prefix }
  await tx.query(insertToken, { ...row, hash, createdAt: tx.now })
  return { ...row, token }
}

/**
 * Issues a successor with the same rights and expiry, and ends the token after `overlapMs`; refuses
 * `resource_not_found`, `invalid_state`.
 */
export const rotateToken = async (tx: Tx, id: string, overlapMs: number): Promise<IssuedToken> => {
  // First, because it excludes another rotation of the token until ours is done.
  await raiseCatalogVersion(tx, 'tokens')
  const row = requireRow(await tx.query(findTokenById, { id }), 'token')
  if (row.revokedAt !== null) throw invalidState('The token was revoked; issue a new one.')
  if (row.expiresAt !== null && row.expiresAt <= tx.now) {
    throw invalidState('The token has expired; issue a new one.')
  }
  const { merchantId, name, scopes, allowList, expiresAt } = row
  const issued = await issueToken(tx, { merchantId, name, scopes, allowList, expiresAt })
  await endToken(tx, id, overlapMs)
  return issued
}

/** Revokes a token now, or after `overlapMs` while its successor takes over. Refuses `resource_not_found`. */
export const endToken = async (tx: Tx, id: string, overlapMs: number): Promise<void> => {
  const rows = await tx.query(markTokenEnded, { id, at: tx.now + overlapMs, revoke: overlapMs === 0 })
  await raiseCatalogVersion(tx, 'tokens')
  if (rows.length === 0) throw noSuch('token')
}

import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { Refusal } from '../domain/refusal.ts'
import { endToken } from './end-token.ts'
import { type IssuedToken, issueToken } from './issue-token.ts'
import { findTokenById } from './store.ts'

/** Issues a successor with the same rights and expiry, and ends the token after `overlapMs`; refuses `resource_not_found`, `invalid_state`. */
export const rotateToken = async (tx: Tx, id: string, overlapMs: number): Promise<IssuedToken> => {
  // First, because it excludes another rotation of the token until ours is done.
  await raiseCatalogVersion(tx, 'tokens')
  const [row] = await tx.query(findTokenById, { id })
  if (!row) throw new Refusal('resource_not_found', 'There is no such token.')
  if (row.revokedAt !== null) throw new Refusal('invalid_state', 'The token was revoked; issue a new one.')
  if (row.expiresAt !== null && row.expiresAt <= tx.now) {
    throw new Refusal('invalid_state', 'The token has expired; issue a new one.')
  }
  const { merchantId, name, scopes, allowList, expiresAt } = row
  const issued = await issueToken(tx, { merchantId, name, scopes, allowList, expiresAt })
  await endToken(tx, id, overlapMs)
  return issued
}

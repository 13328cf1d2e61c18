import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { Refusal } from '../domain/refusal.ts'
import { markTokenEnded } from './store.ts'

/** Revokes a token now, or lets it expire after `overlapMs` while its successor takes over; refuses `resource_not_found`. */
export const endToken = async (tx: Tx, id: string, overlapMs: number): Promise<void> => {
  const rows = await tx.query(markTokenEnded, { id, at: tx.now + overlapMs, revoke: overlapMs === 0 })
  await raiseCatalogVersion(tx, 'tokens')
  if (rows.length === 0) throw new Refusal('resource_not_found', 'There is no such token.')
}

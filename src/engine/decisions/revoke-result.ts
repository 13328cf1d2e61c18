import type { Tx } from '../context.ts'
import { invalidState, Refusal } from '../../rules/refusal.ts'
import { day } from '../../rules/time.ts'
import type { NamedResult } from './record-decision.ts'
import { lockResult, markRevoked } from './store.ts'

export const revocableMs = day

type Revocable = { readonly word: string; readonly keptParts: number; readonly lastPart: number | null }

/**
 * Revokes what a decision did with one transfer, as `takeBack` does it. Refuses `resource_not_found` for a transfer that
 * the decision does not name, and `invalid_state` after a day.
 */
export const revokeResult = async (
  tx: Tx,
  named: Pick<NamedResult, 'decisionId' | 'ownerId' | 'id'>,
  takeBack: (made: Revocable) => Promise<void>,
): Promise<void> => {
  const [result] = await tx.query(lockResult, named)
  if (!result) throw new Refusal('resource_not_found', 'The decision names no such transfer.')
  const { word, keptParts, lastPart } = result
  if (keptParts === null) throw invalidState('The decision about this transfer was refused.')
  if (result.revokedAt !== null) throw invalidState('The decision about this transfer was revoked before.')
  if (tx.now - result.decidedAt > revocableMs)
    throw invalidState('A decision can be revoked for a day: unassign the transfer.')
  await takeBack({ word, keptParts, lastPart })
  await tx.query(markRevoked, { ...named, at: tx.now })
}

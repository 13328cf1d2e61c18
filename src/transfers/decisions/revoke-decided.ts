import type { Context, Tx } from '../../context.ts'
import { invalidState, Refusal } from '../../domain/refusal.ts'
import { day } from '../../domain/time.ts'
import { tryOut } from '../../ledger/post-entries.ts'
import type { Decider, LockedTransfer, TransferKey } from '../lock-transfer.ts'
import type { TransferPart } from '../store.ts'
import { unassignTransfer } from '../unassign-transfer.ts'
import { parkTransfer } from './decide-transfer.ts'
import { findLastPart, lockDecided, markRevoked } from './store.ts'

/** Decisions can be revoked this long. */
export const revocableMs = day

/**
 * Takes back what a decision did with one transfer: the parts that it made return to the inbox by reversing entries, and
 * what was parked is no longer so. Refuses `resource_not_found` for a transfer that the decision does not name, and
 * `invalid_state` after a day, where something was decided about it since, and as `unassignTransfer` does.
 */
export const revokeDecided = async (tx: Tx, decisionId: string, key: TransferKey, decider: Decider): Promise<void> => {
  const named = { decisionId, requisiteId: key.requisiteId, transferId: key.id }
  const [decided] = await tx.query(lockDecided, named)
  if (!decided) throw new Refusal('resource_not_found', 'The decision names no such transfer.')
  const { keptParts, lastPart, word } = decided
  if (keptParts === null) throw invalidState('The decision about this transfer was refused.')
  if (decided.revokedAt !== null) throw invalidState('The decision about this transfer was revoked before.')
  if (tx.now - decided.decidedAt > revocableMs)
    throw invalidState('A decision can be revoked for a day: unassign the transfer.')
  if (word === 'unpark') throw invalidState('Park the transfer again instead.')
  const [last] = await tx.query(findLastPart, { requisiteId: key.requisiteId, transferId: key.id })
  if (last?.number !== lastPart) throw invalidState('Something was decided about this transfer since.')
  if (word === 'park') await parkTransfer(tx, key, decider, false)
  else {
    const madeParts = ({ parts }: LockedTransfer): readonly TransferPart[] =>
      parts.slice(keptParts).filter(({ kind }) => kind !== 'suspense')
    await unassignTransfer(tx, key, decider, madeParts)
  }
  await tx.query(markRevoked, { ...named, at: tx.now, by: decider.actor })
}

/** Why a decision about a transfer can no longer be revoked; null where it can. It is tried, and rolled back. */
export const whyIrrevocable = async (
  context: Context,
  decisionId: string,
  key: TransferKey,
  decider: Decider,
): Promise<string | null> => {
  try {
    await tryOut(context, (tx) => revokeDecided(tx, decisionId, key, decider))
    return null
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_state') return error.message
    throw error
  }
}

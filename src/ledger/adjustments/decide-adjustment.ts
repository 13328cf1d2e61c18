import type { Tx } from '../../context.ts'
import { type Adjustment, adjustmentAfter, postAdjustment, reversalOf } from '../../domain/adjustment.ts'
import { Refusal } from '../../domain/refusal.ts'
import { postEntries } from '../post-entries.ts'
import { addDraft } from './draft-adjustment.ts'
import { findReversal, lockAdjustment, updateAdjustment } from './store.ts'

type AdjustmentKey = { readonly merchantId: string; readonly id: string }

const lock = async (tx: Tx, { merchantId, id }: AdjustmentKey): Promise<Adjustment> => {
  const [adjustment] = await tx.query(lockAdjustment, { merchantId, id })
  if (!adjustment) throw new Refusal('resource_not_found', 'There is no such adjustment.')
  return adjustment
}

/** Posts or rejects a drafted adjustment. Refuses `resource_not_found`, `invalid_state`, `second_person_required`. */
export const decideAdjustment = async (
  tx: Tx,
  key: AdjustmentKey,
  status: 'posted' | 'rejected',
  actor: string,
): Promise<Adjustment> => {
  const before = await lock(tx, key)
  const after = adjustmentAfter(before, status, actor, tx.now)
  if (after instanceof Refusal) throw after
  if (after === before) return before
  await tx.query(updateAdjustment, { ...key, status, decidedBy: actor, decidedAt: tx.now })
  if (status === 'posted') await postEntries(tx, [[postAdjustment(after)]])
  return after
}

/**
 * Drafts the reversing entry of a posted adjustment, which another operator must post like any other. Refuses
 * `resource_not_found`, `invalid_state`, and `already_exists` when it was reversed before or the reference is taken.
 */
export const reverseAdjustment = async (
  tx: Tx,
  key: AdjustmentKey,
  by: Pick<Adjustment, 'reference' | 'reason' | 'bookedAt' | 'draftedBy'>,
): Promise<Adjustment> => {
  const original = await lock(tx, key)
  const [known] = await tx.query(findReversal, { merchantId: key.merchantId, reverses: original.id })
  if (known?.reference === by.reference) return known
  if (known) throw new Refusal('already_exists', 'The adjustment was reversed before.')
  if (original.status !== 'posted') throw new Refusal('invalid_state', `The adjustment is ${original.status}.`)
  return addDraft(tx, reversalOf(original, { ...by, id: tx.newId(), createdAt: tx.now }))
}

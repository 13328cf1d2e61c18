import type { Tx } from '../../context.ts'
import { lockToNoteProof, updateUnproven } from './store.ts'

/**
 * Notes whether the money of duplicates and of the transfers that they duplicate is proven, when one has become a
 * duplicate, or is one no longer: a bank's own report proves what a phone has reported.
 */
export const noteProof = async (
  tx: Tx,
  duplicates: readonly { readonly requisiteId: string; readonly id: string; readonly duplicateOf: string | null }[],
): Promise<void> => {
  if (duplicates.length === 0) return
  const rows = duplicates.flatMap(({ requisiteId, id, duplicateOf }) =>
    [id, duplicateOf].flatMap((each) => (each === null ? [] : [{ requisiteId, id: each }])),
  )
  // Of two that end the proofs of one transfer, the second one sees what the first has done.
  await tx.query(lockToNoteProof, { rows })
  await tx.query(updateUnproven, { rows })
}

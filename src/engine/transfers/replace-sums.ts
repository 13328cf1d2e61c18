import type { Tx } from '../context.ts'
import { ignoreTransfer } from './decisions/decide-transfer.ts'
import { moveDuplicates, setDuplicates } from './duplicates/store.ts'
import type { Decider, TransferKey } from './transfer-parts.ts'

/**
 * Takes sums of several payments out of the books, because the payments are recorded: each becomes a duplicate of its
 * first payment. Refuses as `ignoreTransfer` does.
 */
export const replaceSums = async (
  tx: Tx,
  sums: readonly (TransferKey & { readonly duplicateOf: string })[],
  decider: Decider,
): Promise<void> => {
  if (sums.length === 0) return
  await tx.query(setDuplicates, { rows: sums })
  await tx.query(moveDuplicates, { certain: true, rows: sums })
  for (const sum of sums) await ignoreTransfer(tx, sum, decider)
}

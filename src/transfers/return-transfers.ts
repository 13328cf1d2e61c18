import type { Tx } from '../context.ts'
import { postReturn } from '../domain/ledger.ts'
import { Refusal } from '../domain/refusal.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { findRepeatOf } from './repeats/store.ts'
import { lockUndecided, returnAllocations } from './store.ts'

/**
 * Takes transfers out of the inbox as if they had not been reported: reversing entries, their cases closed, and a report
 * of the same transfer counts again. Returns how many of them were still undecided; the others are left as they are.
 * Refuses `invalid_state` where a transfer of another channel may be one of them, or was said to be: its money would be lost.
 */
export const returnTransfers = async (
  tx: Tx,
  transfers: readonly { readonly requisiteId: string; readonly id: string }[],
): Promise<number> => {
  const keys = {
    requisiteIds: transfers.map((transfer) => transfer.requisiteId),
    transferIds: transfers.map((transfer) => transfer.id),
  }
  const rows = await tx.query(lockUndecided, keys)
  if (rows.length === 0) return 0
  const [repeat] = await tx.query(findRepeatOf, keys)
  if (repeat) {
    throw new Refusal(
      'invalid_state',
      `Transfer ${repeat.id} is taken for the same money as transfer ${repeat.repeatOf}; say that it is other money, or undo it, first.`,
    )
  }
  const held = { requisiteIds: rows.map((row) => row.requisiteId), transferIds: rows.map((row) => row.id) }
  await tx.query(returnAllocations, { ...held, now: tx.now })
  await postEntries(
    tx,
    rows.map((row) => [
      postReturn(null, row.currency, { transferId: row.id, requisiteId: row.requisiteId, amount: row.amount }),
    ]),
  )
  return rows.length
}

import type { Tx } from '../context.ts'
import type { PayerIdentity } from '../domain/risk.ts'
import { lockPayers as lock } from './store.ts'

/**
 * Locks payers before their payments are judged, so that no other transaction, on this node or another, counts them at
 * the same time. Comes before slots and requisites are taken.
 */
export const lockPayers = async (tx: Tx, payers: readonly PayerIdentity[]): Promise<void> => {
  if (payers.length === 0) return
  const payerIndexes = [...new Set(payers.map((payer) => payer.index))].toSorted()
  await tx.query(lock, { payerIndexes, now: tx.now })
}

import type { Tx } from '../context.ts'
import { lockMerchants as lock } from './store.ts'

/** Holds merchants until the transaction ends, against others that hold them, too. */
export const lockMerchants = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0) await tx.query(lock, { ids })
}

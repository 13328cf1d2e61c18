import type { Tx } from '../context.ts'
import { insertPayerTransfers } from './payer-names/store.ts'

/** Notes by whose names payments were paid, for later transfers of their users. */
export const notePayerNames = async (
  tx: Tx,
  paid: readonly {
    readonly requisiteId: string
    readonly transferId: string
    readonly merchantId: string
    readonly paymentId: string
  }[],
): Promise<void> => {
  if (paid.length > 0) await tx.query(insertPayerTransfers, { rows: paid })
}

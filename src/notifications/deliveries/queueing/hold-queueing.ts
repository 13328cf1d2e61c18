import type { Tx } from '../../../context.ts'
import { holdMerchant } from './store.ts'

/**
 * Holds the queueing of a merchant's notifications until the transaction ends, and returns the position of the last one
 * that is queued, `0` before the first: a change of who gets notifications applies from the next one on.
 */
export const holdQueueing = async (tx: Tx, merchantId: string): Promise<bigint> =>
  (await tx.query(holdMerchant, { merchantId }))[0]?.position ?? 0n

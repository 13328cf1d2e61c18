import type { Tx } from '../context.ts'
import { findHead, lockPlacing } from './store.ts'

/**
 * Holds back the placing of events until the transaction ends, and returns the last place of the merchant's events, `0`
 * before the first one: what changes who hears of events changes it between two of them.
 */
export const freezePlaces = async (tx: Tx, merchantId: string): Promise<bigint> => {
  await tx.query(lockPlacing, {})
  return (await tx.query(findHead, { merchantId }))[0]?.position ?? 0n
}

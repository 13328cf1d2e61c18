import type { Tx } from '../context.ts'
import { lockBalance } from './store.ts'

/**
 * What an account owes in minor units of a currency, held against every other change until the transaction ends; below
 * zero when it is owed.
 */
export const lockOwed = async (tx: Tx, merchantId: string, account: string, currency: string): Promise<bigint> => {
  const [row] = await tx.query(lockBalance, { merchantId, account, currency })
  // Debits less credits: what is owed is below zero.
  return row ? -row.balance : 0n
}

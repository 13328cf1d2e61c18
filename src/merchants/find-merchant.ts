import type { Tx } from '../context.ts'
import type { Merchant } from '../domain/merchant.ts'
import { Refusal } from '../domain/refusal.ts'
import { listMerchants } from './store.ts'

/** The merchant as the database has it now; refuses `resource_not_found`. */
export const findMerchant = async (tx: Tx, id: string): Promise<Merchant> => {
  const merchant = (await tx.query(listMerchants, {})).find((each) => each.id === id)
  if (!merchant) throw new Refusal('resource_not_found', 'There is no such merchant.')
  return merchant
}

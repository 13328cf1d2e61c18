import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import type { Merchant, MerchantSettings } from '../domain/merchant.ts'
import { findMerchant } from './read.ts'
import { updateMerchantRow } from './store.ts'

/** Changes a merchant's name, status or settings and returns it before and after; refuses `resource_not_found`. */
export const updateMerchant = async (
  tx: Tx,
  id: string,
  wanted: {
    readonly name?: string | undefined
    readonly status?: Merchant['status'] | undefined
    readonly settings?: Partial<MerchantSettings> | undefined
  },
): Promise<{ before: Merchant; after: Merchant }> => {
  // First, because it excludes other changes of this part until ours is done.
  await raiseCatalogVersion(tx, 'merchants')
  const before = await findMerchant(tx, id)
  const after: Merchant = {
    ...before,
    name: wanted.name ?? before.name,
    status: wanted.status ?? before.status,
    settings: { ...before.settings, ...wanted.settings },
  }
  await tx.query(updateMerchantRow, { id, name: after.name, status: after.status, settings: after.settings })
  return { before, after }
}

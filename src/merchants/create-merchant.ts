import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { defaultMerchantSettings, type Merchant, type MerchantMode, type MerchantSettings } from '../domain/merchant.ts'
import { enterKeys } from '../tenants/enter-keys.ts'
import { insertMerchant } from './store.ts'

/** Creates an active merchant. */
export const createMerchant = async (
  tx: Tx,
  wanted: { readonly name: string; readonly mode: MerchantMode; readonly settings: Partial<MerchantSettings> },
): Promise<Merchant> => {
  const merchant: Merchant = {
    id: tx.newId(),
    name: wanted.name,
    mode: wanted.mode,
    status: 'active',
    settings: { ...defaultMerchantSettings, ...wanted.settings },
    createdAt: tx.now,
  }
  await tx.query(insertMerchant, merchant)
  await enterKeys(tx, 'merchant', [merchant.id])
  await raiseCatalogVersion(tx, 'merchants')
  return merchant
}

import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { activateTenantRow } from './store.ts'

/** Takes a tenant that has been prepared into use: all processes see it within a second. */
export const activateTenant = async (tx: Tx, name: string): Promise<void> => {
  await tx.query(activateTenantRow, { name })
  await raiseCatalogVersion(tx, 'tenants')
}

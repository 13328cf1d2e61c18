import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { Refusal } from '../domain/refusal.ts'
import { deleteNumbers, retireTenantRow } from './store.ts'

/** Retires a tenant; all processes see it within a second. Refuses `invalid_state` where it is not active, or being moved. */
export const retireTenant = async (tx: Tx, name: string, freeNumbers: boolean): Promise<void> => {
  const [retired] = await tx.query(retireTenantRow, { name })
  if (!retired) throw new Refusal('invalid_state', `The tenant ${name} is not active: see payin tenants list.`)
  if (freeNumbers) await tx.query(deleteNumbers, { tenant: name })
  await raiseCatalogVersion(tx, 'tenants')
}

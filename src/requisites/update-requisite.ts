import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Requisite, RequisiteLimits } from '../domain/requisite.ts'
import { listRequisites, updateRequisiteRow } from './store.ts'

/** Pauses, resumes or retires a requisite, or changes its label or limits; a retired one stays so. Refuses `resource_not_found`, `invalid_state`. */
export const updateRequisite = async (
  tx: Tx,
  id: string,
  wanted: {
    readonly status?: Requisite['status'] | undefined
    /** Null removes it. */
    readonly label?: string | null | undefined
    readonly limits?: Partial<RequisiteLimits> | undefined
  },
): Promise<{ before: Requisite; after: Requisite }> => {
  // First, because it excludes other changes of this part until ours is done.
  await raiseCatalogVersion(tx, 'requisites')
  const before = (await tx.query(listRequisites, {})).find((each) => each.id === id)
  if (!before) throw new Refusal('resource_not_found', 'There is no such requisite.')
  if (before.status === 'retired' && wanted.status !== undefined && wanted.status !== 'retired') {
    throw new Refusal('invalid_state', 'A retired requisite does not come back; add it again.')
  }
  const after: Requisite = {
    ...before,
    status: wanted.status ?? before.status,
    label: wanted.label === undefined ? before.label : wanted.label,
    limits: { ...before.limits, ...wanted.limits },
  }
  await tx.query(updateRequisiteRow, { id, status: after.status, label: after.label, limits: after.limits })
  return { before, after }
}

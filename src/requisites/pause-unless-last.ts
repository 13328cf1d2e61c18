import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { requisiteGroup } from '../domain/requisite-health.ts'
import { listRequisites, updateRequisiteRow } from './store.ts'

/**
 * Pauses an active requisite unless it is the last active one of its group, as the database has them and not as memory
 * does, so that several nodes never pause a whole group; answers whether it did.
 */
export const pauseUnlessLast = async (tx: Tx, id: string): Promise<boolean> => {
  // First, because it excludes other changes of this part until ours is done.
  await raiseCatalogVersion(tx, 'requisites')
  const active = (await tx.query(listRequisites, {})).filter((each) => each.status === 'active')
  const requisite = active.find((each) => each.id === id)
  if (!requisite) return false
  const group = requisiteGroup(requisite)
  if (!active.some((each) => each.id !== id && requisiteGroup(each) === group)) return false
  await tx.query(updateRequisiteRow, { id, status: 'paused', label: requisite.label, limits: requisite.limits })
  return true
}

import type { Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import type { ViewedList } from '../domain/saved-view.ts'
import { deleteViewRow } from './store.ts'

/** Deletes a view of an operator. Refuses `resource_not_found`. */
export const deleteView = async (tx: Tx, operator: string, list: ViewedList, name: string): Promise<void> => {
  const deleted = await tx.query(deleteViewRow, { operator, list, name })
  if (deleted.length === 0)
    throw new Refusal('resource_not_found', `${operator} has saved no view "${name}" of ${list}.`)
}

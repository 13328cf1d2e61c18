import type { Tx } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { lockAdding } from '../database/lock-adding.ts'
import { Refusal } from '../domain/refusal.ts'
import type { ViewedList, ViewFilters } from '../domain/saved-view.ts'
import { selectViews, upsertView, deleteViewRow } from './store.ts'

/** The views that an operator has saved, by list and name. */
export const listViews = (sql: Queryable, operator: string) => sql.query(selectViews, { operator })

/** The filters of an operator's view. Refuses `resource_not_found`. */
export const getView = async (
  sql: Queryable,
  operator: string,
  list: ViewedList,
  name: string,
): Promise<ViewFilters> => {
  const found = (await listViews(sql, operator)).find((view) => view.list === list && view.name === name)
  if (!found) throw new Refusal('resource_not_found', `${operator} has saved no view "${name}" of ${list}.`)
  return found.filters
}

/** Most views per operator. */
const mostViews = 100

/**
 * Saves the filters of a list under a name, replacing those with the same name. Refuses `invalid_state` if the operator
 * has the most views.
 */
export const saveView = async (
  tx: Tx,
  operator: string,
  view: { readonly list: ViewedList; readonly name: string; readonly filters: ViewFilters },
): Promise<void> => {
  await lockAdding(tx, `views of ${operator}`)
  const others = (await listViews(tx, operator)).filter(({ list, name }) => list !== view.list || name !== view.name)
  if (others.length >= mostViews)
    throw new Refusal('invalid_state', `You have ${mostViews} views already: delete one of them first.`)
  await tx.query(upsertView, { operator, ...view, savedAt: tx.now })
}

/** Deletes a view of an operator. Refuses `resource_not_found`. */
export const deleteView = async (tx: Tx, operator: string, list: ViewedList, name: string): Promise<void> => {
  const deleted = await tx.query(deleteViewRow, { operator, list, name })
  if (deleted.length === 0)
    throw new Refusal('resource_not_found', `${operator} has saved no view "${name}" of ${list}.`)
}

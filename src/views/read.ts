import type { Queryable } from '../database/database.ts'
import { Refusal } from '../domain/refusal.ts'
import type { ViewedList, ViewFilters } from '../domain/saved-view.ts'
import { selectViews } from './store.ts'

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

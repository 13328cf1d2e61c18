import { instant, jsonb, query, text, word } from '../database/query.ts'
import type { ViewedList, ViewFilters } from '../domain/saved-view.ts'

const viewKey = { operator: text, list: word<ViewedList>(), name: text }

const viewRow = { list: word<ViewedList>(), name: text, filters: jsonb<ViewFilters>(), savedAt: instant }

/** The views of an operator, by list and name. */
export const selectViews = query('list_saved_views', {
  parameters: { operator: text },
  row: viewRow,
  text: `select :row from saved_views where operator = :operator order by list, name`,
})

/** Saves a view, replacing the one with its name. */
export const upsertView = query('save_view', {
  parameters: { ...viewKey, filters: jsonb<ViewFilters>(), savedAt: instant },
  text: `insert into saved_views (:fields) values (:values)
    on conflict (operator, list, name) do update set filters = excluded.filters, saved_at = excluded.saved_at`,
})

/** Deletes a view; no row if it does not exist. */
export const deleteViewRow = query('delete_saved_view', {
  parameters: viewKey,
  row: { name: text },
  text: `delete from saved_views where operator = :operator and list = :list and name = :name returning name`,
})

import type { Tx } from '../context.ts'
import { lockAdding } from '../database/lock-adding.ts'
import { Refusal } from '../domain/refusal.ts'
import type { ViewedList, ViewFilters } from '../domain/saved-view.ts'
import { listViews } from './read.ts'
import { upsertView } from './store.ts'

/** Most views of an operator. */
const mostViews = 100

/** Saves the filters of a list under a name, in place of those that have it. Refuses `invalid_state` beyond the most views. */
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

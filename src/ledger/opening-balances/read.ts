import type { Queryable } from '../../database/database.ts'
import { selectOpening, selectOpenings } from './store.ts'

/** The first day of an account here: money that its bank booked before is in the opening balance. */
export type Opening = Omit<ReturnType<typeof selectOpenings.decode>, 'requisiteId'>

/** The first days of accounts, by their requisites; without those whose opening balance is not set. */
export const listOpenings = async (
  sql: Queryable,
  requisiteIds: readonly string[],
): Promise<ReadonlyMap<string, Opening>> => {
  if (requisiteIds.length === 0) return new Map()
  const rows = await sql.query(selectOpenings, { requisiteIds: [...new Set(requisiteIds)] })
  return new Map(rows.map(({ requisiteId, ...opening }) => [requisiteId, opening]))
}

/** What an account held before its first day here; `undefined` where nobody has set it. */
export const findOpeningBalance = async (sql: Queryable, requisiteId: string) =>
  (await sql.query(selectOpening, { requisiteId }))[0]

import type { Queryable } from '../database/database.ts'
import { countMerchants, findDirectory } from './store.ts'

/** How many merchants each tenant besides `main` has, as the directory knows. */
export const countMerchantsOfOthers = async (sql: Queryable): Promise<[string, number][]> => {
  const [directory] = await sql.query(findDirectory, {})
  const rows = directory?.exists ? await sql.query(countMerchants, {}) : []
  return rows.map(({ tenant, merchants }) => [tenant, Number(merchants)])
}

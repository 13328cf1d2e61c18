import type { Queryable } from '../../database/database.ts'
import { day, type Instant } from '../../domain/time.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import { sumUnlisted } from './store.ts'

type NewRow = {
  readonly position: number
  readonly requisiteId: string
  readonly amount: bigint
  readonly bookedAt: Instant
}

/**
 * Rows of a file that are probably money of other files, divided otherwise, each with one transfer of it: on their day
 * they add up to just what other files have and this one does not, in another number of rows. `rows` are all rows of the
 * file that are not known otherwise.
 */
export const findSameTotals = async (
  sql: Queryable,
  file: { readonly statementId: string; readonly neighbours: readonly string[] },
  rows: readonly NewRow[],
): Promise<ReadonlyMap<number, string>> => {
  if (rows.length === 0) return new Map()
  const offsets = await requisiteOffsets(sql, [...new Set(rows.map(({ requisiteId }) => requisiteId))])
  const days = Map.groupBy(rows, ({ requisiteId, bookedAt }) => {
    const offset = offsets.get(requisiteId) ?? 0
    return `${requisiteId} ${Math.floor((bookedAt + offset) / day) * day - offset}`
  })
  const asked = [...days.keys()].map((key) => {
    const [requisiteId = '', since = ''] = key.split(' ')
    return { requisiteId, since: Number(since), until: Number(since) + day - 1 }
  })
  const found = new Map<number, string>()
  for (const { requisiteId, since, transfers, amount, id } of await sql.query(sumUnlisted, {
    ...file,
    rows: asked,
  })) {
    const own = days.get(`${requisiteId} ${since}`) ?? []
    const total = own.reduce((sum, row) => sum + row.amount, 0n)
    if (total === amount && transfers !== own.length) for (const { position } of own) found.set(position, id)
  }
  return found
}

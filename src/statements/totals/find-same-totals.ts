import type { Queryable } from '../../database/database.ts'
import { day, type Instant, startOfDay } from '../../domain/time.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import { sumUnlisted } from './store.ts'

type NewRow = {
  readonly position: number
  readonly requisiteId: string
  readonly amount: bigint
  readonly bookedAt: Instant
}

/**
 * Finds rows of a file that may be the same money as transfers of other files, such as a sum and its parts: the rows of
 * a day have the same total as the transfers that only other files have, but not the same number. Returns one of the
 * transfers for each row. `rows` are all rows of the file whose money is not known otherwise.
 */
export const findSameTotals = async (
  sql: Queryable,
  file: { readonly statementId: string; readonly neighbours: readonly string[] },
  rows: readonly NewRow[],
): Promise<ReadonlyMap<number, string>> => {
  if (rows.length === 0) return new Map()
  const offsets = await requisiteOffsets(sql, [...new Set(rows.map(({ requisiteId }) => requisiteId))])
  const days = Map.groupBy(
    rows,
    ({ requisiteId, bookedAt }) => `${requisiteId} ${startOfDay(bookedAt, offsets.get(requisiteId) ?? 0)}`,
  )
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

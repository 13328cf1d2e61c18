import type { Queryable } from '../../database/database.ts'
import { type ChannelReport, findToldElsewhere } from '../../transfers/duplicates/find-told-elsewhere.ts'
import { listToldInStatement, setRowRepeats } from './store.ts'

/** Transfers that rows of a statement tell of; `paired` counts those that its rows only may be. */
export const toldInStatement =
  (sql: Queryable, statementId: string, { paired }: { readonly paired: boolean }) =>
  async (
    candidates: readonly { readonly requisiteId: string; readonly id: string; readonly dedupeKey: string }[],
  ): Promise<ReadonlySet<string>> => {
    const rows = await sql.query(listToldInStatement, {
      statementId,
      requisiteIds: candidates.map((each) => each.requisiteId),
      ids: candidates.map((each) => each.id),
      dedupeKeys: candidates.map((each) => each.dedupeKey),
      paired,
    })
    return new Set(rows.map((row) => row.id))
  }

/** Finds and notes for a preview which new rows may be transfers of other channels; returns how many there are. */
export const findRowRepeats = async (
  sql: Queryable,
  statementId: string,
  rows: readonly (ChannelReport & { readonly position: number })[],
): Promise<number> => {
  const pairs = await findToldElsewhere(sql, rows, toldInStatement(sql, statementId, { paired: true }))
  if (pairs.size === 0) return 0
  await sql.query(setRowRepeats, {
    statementId,
    positions: [...pairs.keys()].map((place) => rows[place]?.position ?? 0),
    repeatOf: [...pairs.values()].map((other) => other.id),
  })
  return pairs.size
}

import type { Queryable } from '../../database/database.ts'
import { pairRepeats, sameMoneyMs, type Told, type ToldElsewhere } from '../../domain/repeat.ts'
import { listToldElsewhere } from './store.ts'

/** A report that is compared with those of other channels. */
export type ChannelReport = Told & { readonly channel?: string | null; readonly source: string }

/** Which of some transfers, by their requisites, ids and dedupe keys, are told of by rows that are not among the compared. */
export type ToldToo = (
  candidates: readonly { readonly requisiteId: string; readonly id: string; readonly dedupeKey: string }[],
) => Promise<ReadonlySet<string>>

/**
 * Which of these reports may be transfers that another channel has told of already, by their places: the same amount on
 * the same requisite within a day, nothing that contradicts it, each transfer for one report of a channel. Transfers
 * whose ids `toldToo` gives are none of them.
 */
export const findToldElsewhere = async (
  sql: Queryable,
  reports: readonly ChannelReport[],
  toldToo: ToldToo,
): Promise<Map<number, ToldElsewhere>> => {
  const asked = reports.flatMap((report, place) => {
    const { channel } = report
    return channel === undefined || channel === null ? [] : [{ ...report, channel, place }]
  })
  if (asked.length === 0) return new Map()
  const wanted = new Map(
    asked.map((each) => [JSON.stringify([each.requisiteId, `${each.amount}`, each.channel, each.bookedAt]), each]),
  )
  const spans = [...wanted.values()]
  const rows = await sql.query(listToldElsewhere, {
    requisiteIds: spans.map((each) => each.requisiteId),
    amounts: spans.map((each) => each.amount),
    channels: spans.map((each) => each.channel),
    sources: spans.map((each) => each.source),
    since: spans.map((each) => each.bookedAt - sameMoneyMs),
    until: spans.map((each) => each.bookedAt + sameMoneyMs),
  })
  const told = rows.length > 0 ? await toldToo(rows) : new Set<string>()
  const pairs = new Map<number, ToldElsewhere>()
  for (const [channel, own] of Map.groupBy(asked, (each) => each.channel)) {
    const others = rows.filter((row) => row.channel === channel && !told.has(row.id))
    for (const [index, other] of pairRepeats(own, others)) pairs.set(own[index]?.place ?? -1, other)
  }
  return pairs
}

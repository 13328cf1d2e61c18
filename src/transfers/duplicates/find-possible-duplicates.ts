import type { Queryable } from '../../database/database.ts'
import { type ComparableReport, type KnownTransfer, pairDuplicates, sameMoneyMs } from '../../domain/duplicate.ts'
import { listReportedElsewhere } from './store.ts'

/** A report that is compared with those of other channels; without a channel it is compared with none. */
export type ChannelReport = ComparableReport & { readonly channel?: string | null; readonly source: string }

/**
 * Finds which of some transfers the reporter reports in rows that are not compared; gives their ids. Such a transfer is
 * the money of that row, so no other row duplicates it.
 */
export type FindReported = (
  transfers: readonly { readonly requisiteId: string; readonly id: string; readonly dedupeKey: string }[],
) => Promise<ReadonlySet<string>>

/**
 * Which reports may be transfers that another channel reported before, by the index of the report: the same amount on the
 * same requisite within a day and nothing that contradicts it, each transfer for one report of a channel
 * (docs/domain.md §6.3).
 */
export const findPossibleDuplicates = async (
  sql: Queryable,
  reports: readonly ChannelReport[],
  findReported: FindReported,
): Promise<Map<number, KnownTransfer>> => {
  const compared = reports.flatMap(({ channel = null, ...report }, index) =>
    channel === null ? [] : [{ ...report, channel, index }],
  )
  if (compared.length === 0) return new Map()
  const distinct = new Map(
    compared.map((each) => [JSON.stringify([each.requisiteId, `${each.amount}`, each.channel, each.bookedAt]), each]),
  )
  const known = await sql.query(listReportedElsewhere, {
    rows: [...distinct.values()].map((each) => ({
      ...each,
      since: each.bookedAt - sameMoneyMs,
      until: each.bookedAt + sameMoneyMs,
    })),
  })
  const reported = known.length > 0 ? await findReported(known) : new Set<string>()
  const pairs = new Map<number, KnownTransfer>()
  for (const [channel, own] of Map.groupBy(compared, (each) => each.channel)) {
    const others = known.filter((each) => each.channel === channel && !reported.has(each.id))
    for (const [index, other] of pairDuplicates(own, others)) pairs.set(own[index]?.index ?? -1, other)
  }
  return pairs
}

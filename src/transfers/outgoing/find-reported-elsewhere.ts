import type { Queryable } from '../../database/database.ts'
import { sameMoneyMs } from '../../domain/duplicate.ts'
import { type ComparableOutgoing, mayBeSameOutgoing, pairNearest } from '../../domain/outgoing.ts'
import { day } from '../../domain/time.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import { listOutgoingElsewhere } from './store.ts'

/** Outgoing money as a channel reports it. */
export type ChannelOutgoing = ComparableOutgoing & { readonly channel: string }

/**
 * Which reports are outgoing transfers that other channels have reported on the same day of the account, one to one; none is
 * one of those in `taken`.
 */
export const findReportedElsewhere = async <T extends ChannelOutgoing>(
  sql: Queryable,
  reports: readonly T[],
  taken: ReadonlySet<string> = new Set(),
): Promise<Map<T, { readonly id: string }>> => {
  if (reports.length === 0) return new Map()
  const found = await sql.query(listOutgoingElsewhere, {
    rows: reports.map((each) => ({ ...each, since: each.bookedAt - sameMoneyMs, until: each.bookedAt + sameMoneyMs })),
  })
  const known = found.filter(({ id }) => !taken.has(id))
  if (known.length === 0) return new Map()
  const offsets = await requisiteOffsets(sql, [...new Set(known.map((each) => each.requisiteId))])
  const dayOf = ({ requisiteId, bookedAt }: Pick<ChannelOutgoing, 'requisiteId' | 'bookedAt'>): number =>
    Math.floor((bookedAt + (offsets.get(requisiteId) ?? 0)) / day)
  const others = Map.groupBy(known, (each) => `${each.requisiteId} ${each.missing} ${each.amount}`)
  const groups = Map.groupBy(reports, (each) => `${each.requisiteId} ${each.channel} ${each.amount}`)
  const pairs = [...groups].map(([group, own]) =>
    pairNearest(
      own,
      others.get(group) ?? [],
      // A fee of every day is not that of the day before.
      (one, other) => dayOf(one) === dayOf(other) && mayBeSameOutgoing(one, other),
    ),
  )
  return new Map(pairs.flatMap((each) => [...each]))
}

import type { Queryable } from 'payin-database'
import { sameMoneyMs } from '../../../../rules/transfers/duplicate.ts'
import { type ChannelOutgoing, pairElsewhere } from '../../../../rules/transfers/outgoing.ts'
import { requisiteOffsets } from '../../../requisites/read.ts'
import type { FindReported } from '../../duplicates/find-duplicates.ts'
import { mergeSpans } from '../../../../rules/transfers/merge-spans.ts'
import { listOutgoingElsewhere } from './store.ts'

/**
 * Which reports are outgoing transfers that other channels reported on the same day of the account, one to one; never
 * one of those in `taken`, nor for certain one that `findReported` returns.
 */
export const findReportedElsewhere = async <T extends ChannelOutgoing>(
  sql: Queryable,
  reports: readonly T[],
  findReported: FindReported,
  taken: ReadonlySet<string> = new Set(),
) => {
  const around = reports.map((each) => {
    return { ...each, since: each.bookedAt - sameMoneyMs, until: each.bookedAt + sameMoneyMs }
  })
  const found = reports.length === 0 ? [] : await sql.query(listOutgoingElsewhere, { rows: mergeSpans(around) })
  const known = found.filter(({ id }) => !taken.has(id))
  if (known.length === 0) return { certain: new Map<T, { readonly id: string }>(), possible: new Map<T, string>() }
  const reported = await findReported(known.map((each) => ({ ...each, dedupeKey: '' })))
  const offsets = await requisiteOffsets(sql, [...new Set(known.map((each) => each.requisiteId))])
  const others = known.filter(({ id }) => reported.get(id) !== true)
  const [sure = [], doubtful = []] = [false, true].map((isReported) =>
    others.filter(({ id }) => reported.has(id) === isReported),
  )
  const certain = pairElsewhere(reports, sure, offsets)
  const unpaired = reports.filter((each) => !certain.has(each))
  return {
    certain,
    possible: new Map([...pairElsewhere(unpaired, doubtful, offsets)].map(([each, { id }]) => [each, id])),
  }
}

import type { Context } from '../../../context.ts'
import { type ComparableReport, pairDuplicates } from '../../../../rules/transfers/duplicate.ts'
import { readPayer } from '../../../../rules/transfers/one-payer.ts'
import { day, type Instant } from '../../../../rules/time.ts'
import { requisiteOffsets } from '../../../requisites/read.ts'
import { type FindReported, withoutReused } from '../../duplicates/find-duplicates.ts'
import { type PayeeDetails, payeeDetails } from '../payee-details.ts'
import { listAlikeOutgoing } from './store.ts'

/** A report of outgoing money that is compared with those of earlier files of its channel. */
type NewOutgoing = ComparableReport & {
  readonly channel: string
  readonly source: string
  readonly likeness: string | null
  readonly payee: PayeeDetails
}

/**
 * Which new reports may be outgoing transfers that an earlier file of their channel reported with another text: at most
 * as many as that file has and this one no longer reports. Each pairs with one report; any further reports are new
 * money.
 */
export const findAlikeOutgoing = async <Report extends NewOutgoing>(
  sql: Pick<Context, 'query' | 'vault'>,
  reports: readonly Report[],
  findReported: FindReported,
): Promise<Map<Report, string>> => {
  const compared = reports.flatMap(({ likeness, ...each }) => (likeness === null ? [] : [{ ...each, likeness }]))
  if (compared.length === 0) return new Map()
  const asked = new Map(compared.map((each) => [`${each.requisiteId} ${each.channel} ${each.likeness}`, each]))
  const alike = await sql.query(listAlikeOutgoing, { rows: [...asked.values()] })
  if (alike.length === 0) return new Map()
  const reported = await findReported(alike)
  const offsets = await requisiteOffsets(sql, [...new Set(alike.map((each) => each.requisiteId))])
  const dated = <T extends { readonly requisiteId: string; readonly bookedAt: Instant }>(each: T) => ({
    ...each,
    localDay: Math.floor((each.bookedAt + (offsets.get(each.requisiteId) ?? 0)) / day),
  })
  const known = alike
    .filter(({ id }) => reported.get(id) !== true)
    .map(({ reportId, detailsSealed, ...each }) => {
      const { number, name } = payeeDetails(sql.vault, reportId, detailsSealed)
      return dated({ ...each, payer: readPayer(number, name) })
    })
  const pairs = [...Map.groupBy(reports, (each) => each.channel)].map(([channel, own]) => {
    const others = withoutReused(
      known.filter((each) => each.channel === channel),
      own,
    )
    const reporting = own.map((each) => dated({ ...each, payer: readPayer(each.payee.number, each.payee.name) }))
    return [...pairDuplicates(reporting, others)].flatMap(([index, { other }]): [Report, string][] => {
      const report = own[index]
      return report ? [[report, other.id]] : []
    })
  })
  return new Map(pairs.flat())
}

import type { Context } from '../../../context.ts'
import type { ComparableReport } from '../../../../rules/transfers/duplicate.ts'
import { readPayer } from '../../../../rules/transfers/one-payer.ts'
import { type FindReported, likenessesOf, pairReports } from '../../duplicates/find-duplicates.ts'
import { type PayeeDetails, payeeDetails } from '../payee-details.ts'
import { listAlikeOutgoing } from './store.ts'

type NewOutgoing = ComparableReport & {
  readonly channel: string
  readonly source: string
  readonly likeness: string | null
  readonly payee: PayeeDetails
}

/**
 * Which new reports may be outgoing transfers that an earlier file of their channel reported with another text: at most
 * as many as that file has and this one no longer reports.
 */
export const findAlikeOutgoing = async <Report extends NewOutgoing>(
  sql: Pick<Context, 'query' | 'vault'>,
  reports: readonly Report[],
  findReported: FindReported,
): Promise<Map<Report, string>> => {
  const likenesses = likenessesOf(reports)
  const alike = likenesses.length > 0 ? await sql.query(listAlikeOutgoing, { rows: likenesses }) : []
  const known = alike.map(({ reportId, detailsSealed, ...each }) => {
    const { number, name } = payeeDetails(sql.vault, reportId, detailsSealed)
    return { ...each, comparedChannel: each.channel, read: () => ({ payer: readPayer(number, name) }) }
  })
  const compared = reports.map((each) => ({ ...each, sender: each.payee.number, senderName: each.payee.name }))
  const pairs = await pairReports(sql, compared, [known], findReported)
  return new Map(
    [...pairs].flatMap(([index, { other }]): [Report, string][] => {
      const report = reports[index]
      return report ? [[report, other.id]] : []
    }),
  )
}

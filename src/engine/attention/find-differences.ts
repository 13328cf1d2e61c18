import type { Context } from '../context.ts'
import { isEven, unexplainedDifference } from '../../rules/money/reconciliation.ts'
import { type AlertFinding, mostFindings } from '../../rules/notices/alert.ts'
import { showAmount } from '../../rules/values/currency.ts'
import { listReconciliations } from '../ledger/reconciliation/read.ts'
import { requisitePool } from '../requisites/requisite-pool.ts'

type ReconciledRow = Awaited<ReturnType<typeof listReconciliations>>[number]

/**
 * Last closing balances that differ from the ledger: those of the bank, and later ones that one person alone says. Such a
 * one ends no difference of the bank's.
 */
export const findDifferences = async (context: Context): Promise<AlertFinding[]> => {
  const { byId } = await context.catalog.get(requisitePool)
  const last = new Map<string, ReconciledRow>()
  const wanted = { requisiteId: null, mode: 'live', day: null, onlyLast: true } as const
  // The latest days come first; several sources may report the same day.
  for (const row of await listReconciliations(context, wanted, mostFindings)) {
    const key = `${row.requisiteId} ${row.reportedBy ?? ''}`
    const known = last.get(key)
    if (!known || (known.day === row.day && isEven(known))) last.set(key, row)
  }
  const isCurrent = ({ requisiteId, reportedBy, day }: ReconciledRow): boolean =>
    reportedBy === null || day > (last.get(`${requisiteId} `)?.day ?? '')
  return [...last.values()].flatMap((row) => {
    const { requisiteId, day, currency, source, recordedAt } = row
    const requisite = byId.get(requisiteId)
    if (requisite === undefined || isEven(row) || !isCurrent(row)) return []
    const more = unexplainedDifference(row)
    const what =
      (more > 0n && `the bank has more than the ledger by ${showAmount(more, currency)}`) ||
      (more < 0n && `the ledger has more than the bank by ${showAmount(-more, currency)}`) ||
      `refunds and reversals of ${showAmount(row.overdue, currency)} have not left for a week`
    return {
      subject: `requisite:${requisiteId}`,
      summary: `On ${requisite.numberMasked} ${what} at the end of ${day} (${source}).`,
      since: recordedAt,
      command: `payin ledger reconcile --requisite ${requisiteId}`,
    }
  })
}

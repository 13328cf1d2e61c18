import { type AlertFinding, type AlertRule, mostFindings } from '../../rules/notices/alert.ts'
import { day, type Instant } from '../../rules/time.ts'
import type { Context } from '../context.ts'
import { listUnsentReports } from './store.ts'

/** How long a report that is not sent any more concerns people. */
const failedMs = 7 * day

/** Reports of live merchants that have waited longer than the threshold, or failed in the last days. */
export const findUnsentReports = async (
  context: Context,
  { threshold }: AlertRule,
  now: Instant,
): Promise<AlertFinding[]> => {
  const times = { before: now - threshold, failedSince: now - failedMs }
  const rows = await context.query(listUnsentReports, { mode: 'live', ...times, limit: mostFindings })
  return rows.map(({ merchantId, merchant, period, isFailed, error, since }) => ({
    subject: `report:${merchantId}:${period}`,
    summary: isFailed
      ? `The report of ${merchant} for ${period} is not sent any more: ${error}.`
      : `The mail server has not accepted the report of ${merchant} for ${period} yet: ${error}.`,
    since,
    command: `payin ledger report ${merchantId} --period ${period}`,
  }))
}

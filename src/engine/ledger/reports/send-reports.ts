import { finalUntil } from '../../../rules/money/ledger.ts'
import { reportLanguages, reportToMail } from '../../../rules/money/report-page.ts'
import type { ReportMailState } from '../../../rules/money/merchant-report.ts'
import { alertRetryMs, longestRetryMs } from '../../../rules/notices/alert.ts'
import { minute, planBounds } from '../../../rules/time.ts'
import type { Context } from '../../context.ts'
import { takeDueReport } from '../../merchants/merchant.ts'
import { getProfile } from '../../merchants/merchant-directory.ts'
import { readReports } from './read-reports.ts'
import { beginReportMail, endReportMail, findDueReportMail, giveUpReportMails, insertReportMail } from './store.ts'

/** Far longer than any attempt takes: one that has not ended by then was cut off. */
const cutOffMs = 10 * minute

const cutOff = 'the process ended while it was sent: it may have arrived'

/** Plans the mail of a period that has ended, for one merchant; returns how many it planned. */
const planReport = (context: Context): Promise<number> =>
  context.transaction(async (tx) => {
    const due = await takeDueReport(tx, finalUntil(tx.now))
    if (!due) return 0
    await tx.query(insertReportMail, { ...due, id: tx.newId(), now: tx.now })
    return 1
  })

const giveUpCutOff = async (context: Context): Promise<void> => {
  const now = context.clock()
  const { latest } = planBounds(now)
  const given = await context.query(giveUpReportMails, { before: now - cutOffMs, latest, now, error: cutOff })
  for (const each of given) context.log.warn(each, `a report was not sent: ${cutOff}`)
}

type Mail = ReturnType<typeof findDueReportMail.decode>

const endAttempt = async (
  context: Context,
  { merchantId, period, attempts }: Pick<Mail, 'merchantId' | 'period' | 'attempts'>,
  end: { readonly state: ReportMailState; readonly error?: string; readonly dueAt?: number },
): Promise<void> => {
  const { state, error = null, dueAt = null } = end
  const now = context.clock()
  await context.query(endReportMail, { merchantId, period, attempts, now, state, error, dueAt })
  const about = { merchantId, period, attempts, state, ...(error !== null && { error }) }
  context.log[error === null ? 'info' : 'warn'](about, 'a report by e-mail')
}

/** What is to be sent now; a reason if it cannot be written. */
const write = async (context: Context, { merchantId, period }: Mail) => {
  const language = reportLanguages.find((each) => each === context.settings.language) ?? 'en'
  try {
    const [first, ...others] = await readReports(context, merchantId, period)
    return first ? reportToMail([first, ...others], language) : 'there is no report'
  } catch (error) {
    context.log.warn({ err: error, merchantId, period }, 'a report could not be written')
    return 'it could not be written'
  }
}

/**
 * Sends one report that is due. A mail that the server has certainly not accepted is tried again, for three days; any
 * other one never is, so that none arrives twice.
 */
const sendDue = async (context: Context): Promise<number> => {
  const now = context.clock()
  const [mail] = await context.query(findDueReportMail, planBounds(now, longestRetryMs))
  if (!mail) return 0
  const { merchantId, period, id } = mail
  const { reportEvery, reportTo: to } = (await getProfile(context, merchantId)).merchant.settings
  const content = await write(context, mail)
  const [begun] = await context.query(beginReportMail, { ...mail, now: context.clock() })
  // Another process sends it.
  if (!begun) return 1
  const attempt = { merchantId, period, attempts: mail.attempts + 1 }
  if (reportEvery === null) {
    await endAttempt(context, attempt, { state: 'dropped' })
    return 1
  }
  const again = async (error: string): Promise<void> => {
    const endedAt = context.clock()
    const pauseMs = alertRetryMs(attempt.attempts, endedAt - mail.createdAt)
    const end =
      pauseMs === null ? { state: 'failed' as const } : { state: 'pending' as const, dueAt: endedAt + pauseMs }
    await endAttempt(context, attempt, { ...end, error })
  }
  if (typeof content === 'string') await again(content)
  else if (!context.mail) await again('there is no mail server (PAYIN_SMTP_URL)')
  else {
    const failure = await context.mail.send({ id, to, ...content })
    if (failure?.mayHaveArrived === false) await again(failure.reason)
    else if (failure)
      await endAttempt(context, attempt, { state: 'failed', error: `${failure.reason}: it may have arrived` })
    else await endAttempt(context, attempt, { state: 'sent' })
  }
  return 1
}

/**
 * Sends merchants the reports of the days and months that have ended; returns how much it did. However many processes do
 * this, and whenever one dies, nobody gets the report of a period twice.
 */
export const sendReports = async (context: Context): Promise<number> => {
  await giveUpCutOff(context)
  return (await planReport(context)) + (await sendDue(context))
}

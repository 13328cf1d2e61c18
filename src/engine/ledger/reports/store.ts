import { instant, integer, nullable, query, table, text, uuid, word } from 'payin-database'
import type { ReportMailState } from '../../../rules/money/merchant-report.ts'

/** Adds a mail, unless there is one of the same period already. */
export const insertReportMail = query('insert_report_mail', {
  parameters: { merchantId: uuid, period: text, id: uuid, now: instant },
  text: `insert into report_mails (merchant_id, period, id, state, due_at, attempts, created_at)
    values (:merchantId, :period, :id, 'pending', :now, 0, :now) on conflict do nothing`,
})

/** A mail to send; one that is planned for after `latest` was planned by a clock that was ahead. */
export const findDueReportMail = query('find_due_report_mail', {
  parameters: { now: instant, latest: instant },
  row: { merchantId: uuid, period: text, id: uuid, attempts: integer, createdAt: instant },
  text: `select :row from report_mails
    where finished_at is null and state = 'pending' and (due_at <= :now or due_at > :latest)
    order by due_at, merchant_id limit 1`,
})

/** Begins to send a mail, unless another process has tried since `attempts` were read. */
export const beginReportMail = query('begin_report_mail', {
  parameters: { merchantId: uuid, period: text, attempts: integer, now: instant },
  row: { id: uuid },
  text: `update report_mails set state = 'sending', attempts = attempts + 1, due_at = :now
    where merchant_id = :merchantId and period = :period and state = 'pending' and attempts = :attempts returning id`,
})

/** Ends an attempt, also one that was given up meanwhile: nobody else has sent the mail since. */
export const endReportMail = query('end_report_mail', {
  parameters: {
    ...{ merchantId: uuid, period: text, attempts: integer, now: instant },
    ...{ state: word<ReportMailState>(), dueAt: nullable(instant), error: nullable(text) },
  },
  text: `update report_mails set state = :state, due_at = coalesce(:dueAt, due_at), last_error = :error,
      finished_at = case when :state in ('pending', 'sending') then null else :now end
    where merchant_id = :merchantId and period = :period and attempts = :attempts and state in ('sending', 'failed')`,
})

/** Gives up mails whose sending began before a time, or after `latest`, and never ended. */
export const giveUpReportMails = query('give_up_report_mails', {
  parameters: { before: instant, latest: instant, now: instant, error: text },
  row: { merchantId: uuid, period: text },
  text: `update report_mails set state = 'failed', last_error = :error, finished_at = :now
    where finished_at is null and state = 'sending' and (due_at < :before or due_at > :latest)
    returning merchant_id, period`,
})

/** The last reports by e-mail of a merchant, the newest first. */
export const selectReportMails = table('report_mails', { merchantId: uuid }).select(
  'list_report_mails',
  {
    ...{ period: text, state: word<ReportMailState>(), attempts: integer, lastError: nullable(text) },
    ...{ createdAt: instant, finishedAt: nullable(instant) },
  },
  'order by created_at desc, period desc limit 10',
)

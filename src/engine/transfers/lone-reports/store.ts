import { array, bigint, instant, integer, query, text, uuid } from 'payin-database'

/**
 * What an operator alone reported of real money since a time, by currency, but for some transfers: money that came in, and what files
 * say that the bank gave back, because a refund is then owed again, or took back, because the bank's own report of that
 * changes nothing any more.
 */
export const sumLoneReports = query('sum_lone_reports', {
  parameters: { by: text, since: instant, others: array(uuid) },
  row: { currency: text, amount: bigint },
  text: `select currency, least(sum(amount), 9e18)::bigint as amount from (
      select currency, amount from transfers
      where reported_by = :by and reported_alone_at > :since and not id = any (:others)
      union all
      select returned.currency, returned.amount from statements
      join statement_rows as returned on returned.statement_id = statements.id
      where statements.reported_by = :by and statements.confirmed_at > :since
        and returned.kind in ('outgoing-reversal', 'reversal')
        and returned.requisite_id in (select id from requisites where mode = 'live')
        and coalesce(returned.added, not returned.already_known and not returned.duplicate_certain)
    ) as reported group by currency`,
})

/** Notes that a transfer stands on the word of one operator: who has called it separate money. */
export const noteLoneReport = query('note_lone_report', {
  parameters: { requisiteId: uuid, id: uuid, by: text, at: instant },
  text: `update transfers set reported_by = :by, reported_alone_at = :at where requisite_id = :requisiteId and id = :id`,
})

/** Whether one of some operators has called a possible duplicate separate money: assigned it, or set it aside as such. */
export const findCalledSeparate = query('find_transfer_called_separate', {
  parameters: { requisiteId: uuid, id: uuid, by: array(text) },
  row: { number: integer },
  text: `select number from transfer_parts
    where requisite_id = :requisiteId and transfer_id = :id and decided_by = any (:by)
      and kind in ('payment', 'overpayment', 'ignored') limit 1`,
})

/** Marks transfers that another operator than the one who reported them must decide about. */
export const markSecondPerson = query('mark_second_person', {
  rows: { requisiteId: uuid, id: uuid },
  text: `update transfers set second_person = true from :rows
    where transfers.requisite_id = input.requisite_id and transfers.id = input.id`,
})

/**
 * Notes that the reports of a bank, or of two people, are separate money from the transfers that they had confirmed, or are
 * withdrawn: those stand on one operator's word again.
 */
export const doubtConfirmed = query('doubt_confirmed_transfers', {
  rows: { requisiteId: uuid, id: uuid },
  text: `update transfers set second_person = true from (select * from :rows) as input
    join transfers as report on report.requisite_id = input.requisite_id and report.id = input.id
    where transfers.requisite_id = report.requisite_id and transfers.id = report.duplicate_of
      and report.reported_by is null and transfers.reported_alone_at = transfers.recorded_at`,
})

/**
 * Notes that a bank, or two people, have also reported transfers that one person had reported alone. The mark stays on
 * transfers that one person has called separate money or uses again: a report says nothing about that.
 */
export const confirmLoneReports = query('confirm_lone_reports', {
  rows: { requisiteId: uuid, id: uuid },
  text: `update transfers set second_person = false from :rows
    where transfers.requisite_id = input.requisite_id and transfers.id = input.id and transfers.second_person
      and transfers.reported_alone_at = transfers.recorded_at`,
})

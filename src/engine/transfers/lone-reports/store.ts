import { array, bigint, boolean, instant, integer, nullable, query, table, text, uuid } from 'payin-database'
import { messageChannel } from '../../../rules/transfers/channel.ts'
import { beingWithdrawn, hasPart, hasPartOfKind, isUnconfirmed } from '../store.ts'

/**
 * What an operator alone, or a phone, reported of real money since a time, by currency, but for some transfers: money that
 * came in, and what files say that left, was given back or was taken back, because the bank's own report of that changes
 * nothing any more. What messages bring to the inbox, and nobody has decided about, is nobody's word: anybody forges them.
 */
export const sumLoneReports = query('sum_lone_reports', {
  parameters: {
    ...{ by: text, since: instant, until: instant, others: array(uuid), countsHeld: boolean },
    /** Only what came in on this one. */
    requisiteId: nullable(uuid),
  },
  row: { currency: text, amount: bigint },
  text: `select currency, least(sum(amount), 9e18)::bigint as amount from (
      select currency, amount from transfers
      where reported_by = :by and reported_alone_at > :since and reported_alone_at <= :until
        and not id = any (:others) and (:countsHeld or not second_person)
        and not (channel is not distinct from '${messageChannel}' and ${isUnconfirmed('transfers')})
        and (:requisiteId is null or requisite_id = :requisiteId)
      union all
      select returned.currency, returned.amount from statements
      join statement_rows as returned on returned.statement_id = statements.id
      where :requisiteId is null and statements.reported_by = :by and statements.confirmed_at > :since
        and statements.confirmed_at <= :until and returned.kind in ('reversal', 'outgoing', 'outgoing-reversal')
        and returned.requisite_id in (select id from requisites where mode = 'live')
        and coalesce(returned.added, not returned.already_known and not returned.duplicate_certain)
    ) as reported group by currency`,
})

const transfers = table('transfers', { requisiteId: uuid, id: uuid })

/** Notes that a transfer stands on the word of one operator: who has called it separate money. */
export const noteLoneReport = transfers.update('note_lone_report', {
  reportedBy: text,
  reportedAloneAt: instant,
})

/** Whether one of some operators has called a possible duplicate separate money: assigned it, or set it aside as such. */
export const findCalledSeparate = query('find_transfer_called_separate', {
  parameters: { requisiteId: uuid, id: uuid, by: array(text) },
  row: { number: integer },
  text: `select number from transfer_parts
    where requisite_id = :requisiteId and transfer_id = :id and decided_by = any (:by)
      and kind in ('payment', 'overpayment', 'ignored') limit 1`,
})

export const markSecondPerson = transfers.updateAll('mark_second_person', { secondPerson: boolean })

/** Whether one operator alone has reported it and nobody else decided; not if being withdrawn or of an own account. */
export const givesWay = (transfer: string): string =>
  `(${transfer}.reported_by is not null and ${transfer}.reported_alone_at = ${transfer}.recorded_at
      and not ${hasPart(`parts.kind <> 'suspense' and not (parts.kind = 'ignored' and parts.decided_by = ${transfer}.reported_by)`, transfer)}
      and not ${beingWithdrawn(transfer)} and not exists (select from outgoing_transfers as sent
        where sent.purpose = 'own-account' and sent.document_id = ${transfer}.id))`

/** Whether a transfer has given way to a later report, which it duplicates or may duplicate, and nobody has decided that. */
export const gaveWay = (transfer: string, original: string): string =>
  `(${transfer}.reported_by is not null and ${transfer}.recorded_at < ${original}.recorded_at
      and not ${hasPart(`parts.kind <> 'suspense' and not (parts.kind = 'duplicate' and parts.decided_by = 'service')`, transfer)})`

export const listGaveWay = query('list_transfers_that_gave_way', {
  rows: { requisiteId: uuid, id: uuid },
  row: { requisiteId: uuid, id: uuid, duplicateOf: nullable(uuid), isCertain: boolean },
  text: `select each.requisite_id, each.id, each.duplicate_of, not ${hasPartOfKind(`= 'suspense'`, 'each')} as is_certain
    from :rows
    join transfers as original on original.requisite_id = input.requisite_id and original.id = input.id
    join transfers as each on each.requisite_id = input.requisite_id and each.duplicate_of = input.id
    where ${gaveWay('each', 'original')}`,
})

/** Locks those of some transfers that one operator alone has reported, when decisions about them have ended. */
export const lockLoneReports = query('lock_lone_reports', {
  rows: { requisiteId: uuid, id: uuid },
  row: { id: uuid },
  text: `select id from transfers where (requisite_id, id) in (select * from :rows) and reported_by is not null
    order by requisite_id, id for update`,
})

export const listGivingWay = query('list_transfers_that_give_way', {
  rows: { requisiteId: uuid, id: uuid },
  row: { id: uuid },
  text: `select transfers.id from transfers
    where (transfers.requisite_id, transfers.id) in (select * from :rows) and ${givesWay('transfers')}`,
})

export const listKeysGivingWay = query('list_keys_that_give_way', {
  rows: { requisiteId: uuid, dedupeKey: text },
  row: { requisiteId: uuid, dedupeKey: text },
  text: `select transfers.requisite_id, transfers.dedupe_key from :rows join transfers
      on transfers.requisite_id = input.requisite_id and transfers.dedupe_key = input.dedupe_key
    where ${givesWay('transfers')}`,
})

/** Records that transfers stand on the word of whoever reported what gave way to them: another operator decides. */
export const takeOverReporters = query('take_over_reporters_of_transfers', {
  rows: { requisiteId: uuid, id: uuid, duplicateOf: uuid },
  text: `update transfers set reported_by = typed.reported_by, reported_alone_at = transfers.recorded_at, second_person = true
    from :rows join transfers as typed on typed.requisite_id = input.requisite_id and typed.id = input.id
    where transfers.requisite_id = input.requisite_id and transfers.id = input.duplicate_of`,
})

export const freeKeys = query('free_keys_of_lone_reports', {
  rows: { requisiteId: uuid, id: uuid },
  text: `update transfers set dedupe_key = 'replaced:' || transfers.id
    from :rows where transfers.requisite_id = input.requisite_id and transfers.id = input.id`,
})

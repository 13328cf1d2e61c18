import {
  array,
  bigint,
  boolean,
  instant,
  integer,
  jsonb,
  nullable,
  query,
  text,
  uuid,
  word,
} from '../../database/query.ts'
import type { RecordedRowKind } from '../../domain/statement-import.ts'
import { byKey, ofThisDay } from '../store.ts'

/**
 * How many incoming rows of a statement were recorded for another requisite, and which file and requisite that is, if
 * the operator chose the requisite both times: without a known account, rows are compared only by their keys.
 */
export const countRecordedElsewhere = query('count_rows_recorded_elsewhere', {
  parameters: { statementId: uuid, first: integer, last: integer },
  row: { rows: integer, requisiteId: nullable(uuid), fileName: nullable(text) },
  // The rows of a key are read before their statements: a joint plan would read every row of the statements.
  text: `select count(*)::integer as rows, min(others.requisite_id::text)::uuid as requisite_id,
      min(others.file_name) as file_name
    from statement_rows as own cross join lateral (
      select same.requisite_id, statements.file_name from (
          select * from statement_rows as each
          where each.chosen and each.dedupe_key between own.dedupe_key and own.dedupe_key
          order by each.dedupe_key offset 0) as same
      join statements on statements.id = same.statement_id and statements.state in ('importing', 'imported')
      where same.requisite_id <> own.requisite_id
      limit 1
    ) as others
    where own.chosen and own.kind = 'booked' and own.statement_id = :statementId and own.position between :first and :last`,
})

/** Records which transfers rows duplicate, or may duplicate. */
export const setDuplicates = query('set_statement_row_duplicates', {
  parameters: { statementId: uuid },
  rows: { position: integer, duplicateOf: uuid, duplicateCertain: boolean },
  text: `update statement_rows
    set duplicate_of = input.duplicate_of, duplicate_certain = input.duplicate_certain from :rows
    where statement_rows.statement_id = :statementId and statement_rows.position = input.position`,
})

/** Marks rows that are already known. */
export const setAlreadyKnown = query('set_statement_rows_already_known', {
  parameters: { statementId: uuid },
  rows: { position: integer },
  text: `update statement_rows set already_known = true from :rows
    where statement_rows.statement_id = :statementId and statement_rows.position = input.position`,
})

/**
 * Which of some transfers the rows of a statement report: by their keys or, if `paired`, by the transfers that they may
 * duplicate.
 */
export const listReportedInStatement = query('list_transfers_reported_in_statement', {
  parameters: { statementId: uuid, paired: boolean },
  rows: { requisiteId: uuid, id: uuid, dedupeKey: text },
  row: { id: uuid },
  // The key of the first row with a reference is its fingerprint; the fingerprints of the others lack their ordinal.
  // The rows of each fingerprint are read only once: a file may have thousands of equal rows.
  text: `with given as (select :columns from :rows), own as materialized (
      select rows.requisite_id, rows.dedupe_key
      from (select distinct unnest(array[dedupe_key, substring(dedupe_key from '^(.*):[0-9]+$'),
        substring(dedupe_key from '^again:[0-9]+:(.*)$')]) as fingerprint from given) as each
      join statement_rows as rows on rows.statement_id = :statementId and rows.fingerprint = each.fingerprint
    )
    select given.id from given
    where (given.requisite_id, given.dedupe_key) in (select requisite_id, dedupe_key from own)
      or (:paired and exists (select from statement_rows as paired where paired.statement_id = :statementId
        and paired.duplicate_of = given.id))`,
})

/** How many rows that statements have added are certain duplicates, and how many wait as possible ones. */
export const countDuplicates = query('count_statement_duplicates', {
  parameters: { statementIds: array(uuid) },
  row: { statementId: uuid, duplicates: integer, possibleDuplicates: integer },
  text: `select statement_id, count(*) filter (where is_duplicate)::integer as duplicates,
      count(*) filter (where is_doubtful)::integer as possible_duplicates
    from (
      select own.statement_id, own.position, bool_or(parts.kind = 'duplicate') as is_duplicate,
        bool_and(parts.kind = 'suspense') as is_doubtful
      from statement_rows as own
      join transfer_parts as parts on parts.requisite_id = own.requisite_id and parts.transfer_id = own.transfer_id
        and parts.replaced_at is null
      where own.statement_id = any(:statementIds) and own.duplicate_of is not null and own.added
      group by own.statement_id, own.position
      union all
      select own.statement_id, own.position, sent.state = 'duplicate', sent.state = 'unexplained' and sent.duplicate_of is not null
      from statement_rows as own
      join outgoing_transfers as sent on sent.requisite_id = own.requisite_id and sent.id = own.transfer_id
      where own.statement_id = any(:statementIds) and own.duplicate_of is not null and own.added
    ) as each
    group by statement_id`,
})

/** For rows that were added as certain or possible duplicates: whose duplicates they are, and where their money is. */
export const listDecidedDuplicates = query('list_decided_statement_row_duplicates', {
  parameters: { statementId: uuid, first: integer, last: integer },
  row: { position: integer, isDuplicate: boolean, isDoubtful: boolean },
  text: `select own.position, bool_or(parts.kind = 'duplicate') as is_duplicate,
      bool_and(parts.kind = 'suspense') as is_doubtful
    from statement_rows as own
    join transfer_parts as parts on parts.requisite_id = own.requisite_id and parts.transfer_id = own.transfer_id
      and parts.replaced_at is null
    where own.statement_id = :statementId and own.position between :first and :last
      and own.duplicate_of is not null and own.added
    group by own.position
    union all
    select own.position, sent.state = 'duplicate', sent.state = 'unexplained' and sent.duplicate_of is not null
    from statement_rows as own
    join outgoing_transfers as sent on sent.requisite_id = own.requisite_id and sent.id = own.transfer_id
    where own.statement_id = :statementId and own.position between :first and :last
      and own.duplicate_of is not null and own.added`,
})

/** The first transfers of a statement that wait as possible duplicates. */
export const listDoubtful = query('list_doubtful_transfers_of_statement', {
  parameters: { statementId: uuid, limit: integer },
  row: { requisiteId: uuid, id: uuid },
  text: `select parts.requisite_id, parts.transfer_id as id from statement_rows as own
    join transfer_parts as parts on parts.requisite_id = own.requisite_id and parts.transfer_id = own.transfer_id
      and parts.replaced_at is null
    where own.statement_id = :statementId and own.duplicate_of is not null and own.added
    group by own.position, parts.requisite_id, parts.transfer_id having bool_and(parts.kind = 'suspense')
    order by own.position limit :limit`,
})

/** Rows of bookings that were imported before, each once; includes statements being withdrawn, which may yet stay. */
export const listBookingRows = query('list_rows_of_bookings', {
  rows: { requisiteId: uuid, reference: text },
  row: {
    requisiteId: uuid,
    kind: word<RecordedRowKind>(),
    bookingReference: nullable(text),
    bookingAmount: nullable(bigint),
    dedupeKey: text,
    fingerprint: text,
    amount: bigint,
    bookedAt: instant,
    bankReference: nullable(text),
    referenceKind: nullable(text),
  },
  text: `select distinct on (known.requisite_id, known.booking_reference, known.dedupe_key) known.requisite_id,
      known.kind, known.booking_reference, known.booking_amount, known.dedupe_key, known.fingerprint, known.amount, known.booked_at,
      known.bank_reference, known.reference_kind
    from :rows
    join statement_rows as known
      on known.requisite_id = input.requisite_id and known.booking_reference = input.reference
    join statements on statements.id = known.statement_id
      and statements.state in ('importing', 'imported', 'withdrawing')
    where known.kind in ('booked', 'outgoing')
    order by known.requisite_id, known.booking_reference, known.dedupe_key, known.position`,
})

/**
 * A new row of a statement whose booking another one reports in another form: as a sum instead of in parts, or vice
 * versa.
 */
export const findOtherForm = query('find_booking_in_other_form', {
  parameters: { statementId: uuid },
  row: { bookingReference: nullable(text), statementId: uuid, isWithdrawing: boolean },
  text: `select own.booking_reference, others.statement_id, statements.state = 'withdrawing' as is_withdrawing
    from statement_rows as own
    join statement_rows as others on others.requisite_id = own.requisite_id
      and others.booking_reference = own.booking_reference and others.booking_amount = own.booking_amount
      and others.statement_id <> own.statement_id and others.kind = own.kind
      and (others.bank_reference = others.booking_reference)
        is distinct from (own.bank_reference = own.booking_reference)
    join statements
      on statements.id = others.statement_id and statements.state in ('importing', 'imported', 'withdrawing')
    where own.statement_id = :statementId and own.kind in ('booked', 'outgoing') and not own.already_known limit 1`,
})

/** The transfers and reversals with the keys of rows, as far as they exist. */
export const listKnownByKey = query('list_transfers_of_statement_rows', {
  rows: { position: integer, kind: text, requisiteId: uuid, dedupeKey: text, bookedAt: instant },
  row: {
    position: integer,
    id: uuid,
    bookedAt: instant,
    channel: nullable(text),
    senderSealed: nullable(text),
    senderNameSealed: nullable(text),
    textSealed: nullable(text),
  },
  text: `select input.position, known.* from :rows cross join lateral (
      (${byKey('transfers', `and input.kind = 'booked'`, 'id, booked_at, channel, sender_sealed, sender_name_sealed, text_sealed')})
      union all
      (${byKey('transfer_reversals', `and input.kind = 'reversal' ${ofThisDay}`, 'id, booked_at, channel, null, null, null')})
    ) as known`,
})

const incomingBooking = { position: integer, requisiteId: uuid, amount: bigint, since: instant, until: instant }

/**
 * Transfers of an amount in a span of time that may be sums of several payments: how many, `null` if nobody knows. Those
 * that are parts of a booking are left out, and so are duplicates and withdrawn ones.
 */
export const listSums = query('list_sums_of_payments', {
  rows: incomingBooking,
  row: {
    position: integer,
    requisiteId: uuid,
    id: uuid,
    dedupeKey: text,
    payments: nullable(integer),
    isNamed: boolean,
    isDecided: boolean,
  },
  text: `select input.position, found.requisite_id, found.id, found.dedupe_key, own.booking_payments as payments,
      (found.sender_masked <> '' or found.sender_name_masked is not null) as is_named,
      exists (select from transfer_parts as parts where parts.requisite_id = found.requisite_id
        and parts.transfer_id = found.id and parts.replaced_at is null and parts.kind <> 'suspense') as is_decided
    from :rows cross join lateral (
      select * from transfers as each
      where each.requisite_id = input.requisite_id and each.amount between input.amount and input.amount
        and each.booked_at between input.since and input.until
        and each.dedupe_key not like 'withdrawn:%' and each.duplicate_of is null
      order by each.amount, each.booked_at limit 100
    ) as found
    left join lateral (
      select rows.booking_payments, rows.booking_amount from statement_rows as rows
      where rows.requisite_id = found.requisite_id and rows.transfer_id = found.id order by rows.booking_payments limit 1
    ) as own on true
    where own.booking_amount is null or own.booking_amount = found.amount`,
})

/**
 * Bookings of an amount that other statements have reported in parts, in a span of time, by the number of payments in
 * each: all of their parts in order, and those that are already known as sums of the channel.
 */
export const listBatches = query('list_bookings_in_parts', {
  parameters: { statementId: uuid },
  rows: { ...incomingBooking, channel: text },
  row: {
    position: integer,
    payments: integer,
    parts: jsonb<readonly string[]>(),
    summed: jsonb<readonly string[]>(),
  },
  text: `select input.position, coalesce(batch.payments, 0) as payments, to_jsonb(batch.parts) as parts,
      to_jsonb(array(select sums.duplicate_of from transfers as sums where sums.requisite_id = input.requisite_id
        and sums.duplicate_of = any(batch.parts) and sums.channel = input.channel)) as summed
    from :rows cross join lateral (
      select rows.booking_payments as payments, array_agg(rows.transfer_id order by rows.statement_id, rows.position) as parts
      from statement_rows as rows
      join statements on statements.id = rows.statement_id and statements.state in ('importing', 'imported')
      where rows.requisite_id = input.requisite_id and rows.booking_payments > 1
        and rows.booking_amount between input.amount and input.amount and rows.amount <> rows.booking_amount
        and rows.booked_at between input.since and input.until
        and rows.kind = 'booked' and rows.added and rows.statement_id <> :statementId
      group by rows.booking_payments
    ) as batch`,
})

// A certain duplicate is the money of another transfer.
const moneyOf = (transfer: string): string => `case when ${transfer}.duplicate_of is not null and exists (
        select from transfer_parts as parts where parts.requisite_id = ${transfer}.requisite_id
          and parts.transfer_id = ${transfer}.id and parts.replaced_at is null and parts.kind = 'duplicate')
      then ${transfer}.duplicate_of else ${transfer}.id end`

/**
 * The incoming money of a requisite that other files have brought for the span of an imported statement, and that this
 * one does not list.
 */
export const sumOfOthers = query('sum_of_other_files', {
  parameters: { statementId: uuid, requisiteId: uuid, since: instant, until: instant },
  row: { amount: bigint },
  text: `with own as materialized (
      select rows.amount, rows.duplicate_of, ${moneyOf('transfers')} as money from statement_rows as rows
      join transfers on transfers.requisite_id = rows.requisite_id and transfers.id = rows.transfer_id
      where rows.statement_id = :statementId and rows.requisite_id = :requisiteId and rows.kind = 'booked'
    )
    select coalesce((select sum(each.amount) from transfers as each
        where each.requisite_id = :requisiteId and each.booked_at between :since and :until
          and each.channel is not null and each.channel <> 'operator' and each.channel not like 'feed:%'
          and each.dedupe_key not like 'withdrawn:%' and ${moneyOf('each')} = each.id
          and not exists (select from own where own.money = each.id or own.duplicate_of = each.id)
          and (each.duplicate_of is null or exists (select from transfer_parts as parts
            where parts.requisite_id = each.requisite_id and parts.transfer_id = each.id
              and parts.replaced_at is null and parts.kind <> 'suspense'))
          and not exists (select from statement_rows as part where part.requisite_id = each.requisite_id
            and part.transfer_id = each.id and part.booking_payments > 1
            and part.booking_amount in (select amount from own))), 0)::bigint as amount`,
})

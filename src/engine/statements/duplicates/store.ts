import { array, bigint, boolean, instant, integer, jsonb, nullable, query, text, uuid, word } from 'payin-database'
import type { RecordedRowKind } from '../../../rules/statements/statement-import.ts'

/** How many incoming rows are recorded for another requisite, where the operator chose the requisite both times. */
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

export const setDuplicates = query('set_statement_row_duplicates', {
  parameters: { statementId: uuid },
  rows: { position: integer, duplicateOf: uuid, duplicateCertain: boolean, alreadyKnown: boolean },
  text: `update statement_rows set duplicate_of = input.duplicate_of, duplicate_certain = input.duplicate_certain,
      already_known = input.already_known from :rows
    where statement_rows.statement_id = :statementId and statement_rows.position = input.position`,
})

/** Marks rows that take the place of what one person alone has reported, if two agree on the file. */
export const setReplacing = query('set_statement_rows_replacing', {
  parameters: { statementId: uuid, positions: array(integer) },
  text: `update statement_rows set replaces = true where statement_id = :statementId and position = any (:positions)`,
})

/**
 * Which transfers the rows of a statement or of its neighbours report, by their keys, as recorded or, if `paired`, as
 * possible duplicates; not certain for `possible` neighbours. The keys of a neighbour's rows are final only when they
 * are recorded.
 */
export const listReportedInStatement = query('list_transfers_reported_in_statement', {
  parameters: { statementId: uuid, neighbours: array(uuid), possible: array(uuid), paired: boolean },
  rows: { requisiteId: uuid, id: uuid, dedupeKey: text },
  row: { id: uuid, isCertain: boolean },
  // The key of the first row with a reference is its fingerprint; the fingerprints of the others lack their ordinal.
  // The rows of each fingerprint are read only once: a file may have thousands of equal rows.
  text: `with given as (select :columns from :rows), own as materialized (
      select rows.requisite_id, rows.dedupe_key, bool_or(rows.statement_id <> all (:possible)) as is_certain
      from (select distinct unnest(array[dedupe_key, substring(dedupe_key from '^(.*):[0-9]+$'),
        substring(dedupe_key from '^again:[0-9]+:(.*)$')]) as fingerprint from given) as each
      join statement_rows as rows on rows.fingerprint = each.fingerprint
        and (rows.statement_id = :statementId
          or rows.transfer_id is not null and rows.statement_id = any (array_cat(:neighbours, :possible)))
      group by rows.requisite_id, rows.dedupe_key
    )
    select found.id, bool_or(found.is_certain) as is_certain from (
      select given.id, own.is_certain from given join own using (requisite_id, dedupe_key)
      union all
      select given.id, rows.statement_id <> all (:possible) from given
      join statement_rows as rows on rows.requisite_id = given.requisite_id and rows.transfer_id = given.id
      where rows.statement_id = any (array_cat(:neighbours, :possible))
      union all
      select given.id, true from given where :paired and exists (select from statement_rows as paired
        where paired.statement_id = :statementId and paired.duplicate_of = given.id)
    ) as found group by found.id`,
})

const decidedRows = (which: string): string => `select own.statement_id, own.position,
        bool_or(parts.kind = 'duplicate') as is_duplicate, bool_and(parts.kind = 'suspense') as is_doubtful
      from statement_rows as own
      join transfer_parts as parts on parts.requisite_id = own.requisite_id and parts.transfer_id = own.transfer_id
        and parts.replaced_at is null
      where ${which} and own.duplicate_of is not null and own.added
      group by own.statement_id, own.position
      union all
      select own.statement_id, own.position, sent.state = 'duplicate', sent.state = 'unexplained' and sent.duplicate_of is not null
      from statement_rows as own
      join outgoing_transfers as sent on sent.requisite_id = own.requisite_id and sent.id = own.transfer_id
      where ${which} and own.duplicate_of is not null and own.added`

export const countDuplicates = query('count_statement_duplicates', {
  parameters: { statementIds: array(uuid) },
  row: { statementId: uuid, duplicates: integer, possibleDuplicates: integer },
  text: `select statement_id, count(*) filter (where is_duplicate)::integer as duplicates,
      count(*) filter (where is_doubtful)::integer as possible_duplicates
    from (${decidedRows('own.statement_id = any(:statementIds)')}) as each
    group by statement_id`,
})

export const listDecidedDuplicates = query('list_decided_statement_row_duplicates', {
  parameters: { statementId: uuid, first: integer, last: integer },
  row: { position: integer, isDuplicate: boolean, isDoubtful: boolean },
  text: `select :row from (
      ${decidedRows('own.statement_id = :statementId and own.position between :first and :last')}) as each`,
})

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

/** The id of the transfer whose money a transfer is: a certain duplicate is the money of another one. */
const moneyOf = (transfer: string): string => `case when ${transfer}.duplicate_of is not null and exists (
        select from transfer_parts as parts where parts.requisite_id = ${transfer}.requisite_id
          and parts.transfer_id = ${transfer}.id and parts.replaced_at is null and parts.kind = 'duplicate')
      then ${transfer}.duplicate_of else ${transfer}.id end`

const booking = {
  position: integer,
  requisiteId: uuid,
  kind: word<RecordedRowKind>(),
  bookingReference: nullable(text),
  bookingAmount: bigint,
  bookingPayments: nullable(integer),
  /** Whether the other form may have another reference, or none: then it is of this day. */
  byDay: boolean,
  since: instant,
  until: instant,
  /** With the same reference, it is of this time. */
  earliestAt: instant,
  latestAt: instant,
}

// Ranges in index order, so that no kept plan reads all rows of the requisite.
/** Rows of other statements under the reference of a booking of `input`. */
const underReference = `(select * from statement_rows as each where each.requisite_id = input.requisite_id
            and each.booking_reference between input.booking_reference and input.booking_reference
          order by each.requisite_id, each.booking_reference limit 100000) as rows
        where rows.kind = input.kind and rows.booked_at between input.earliest_at and input.latest_at
          and rows.transfer_id is not null and rows.statement_id <> :statementId`

/** Parts of bookings of the sum and day of a booking of `input`. */
const partsOfDay = `(select * from statement_rows as each where each.requisite_id = input.requisite_id
            and each.booking_payments > 1
            and each.booking_amount between input.booking_amount and input.booking_amount
            and each.booked_at between input.since and input.until
          order by each.requisite_id, each.booking_amount, each.booked_at limit 100000) as rows
        where rows.kind = input.kind and rows.amount <> rows.booking_amount`

/**
 * Money that other statements have reported as one sum, under the reference of a booking or of its amount and day; not
 * parts of bookings, or withdrawn money. `earlier` are the parts of such bookings before the row `first`.
 */
export const listSums = query('list_sums_of_bookings', {
  parameters: { statementId: uuid, first: integer },
  rows: booking,
  row: {
    position: integer,
    requisiteId: uuid,
    id: uuid,
    dedupeKey: text,
    amount: bigint,
    payments: nullable(integer),
    isNamed: boolean,
    /** Whether something was decided about it, if only by crediting it. */
    isDecided: boolean,
    isDoubtful: boolean,
    isReferred: boolean,
    hasReference: boolean,
    /** Whether its own reference is that of the booking. */
    isEntry: boolean,
    /** Whether it is a part by which this statement has replaced the sum. */
    isReplaced: boolean,
    earlier: integer,
  },
  text: `select input.position, input.requisite_id, money.id, money.dedupe_key, money.amount, said.payments,
      money.is_named, money.is_decided, money.is_doubtful, coalesce(said.is_referred, false) as is_referred,
      coalesce(said.has_reference, false) as has_reference, coalesce(said.is_entry, false) as is_entry,
      coalesce(said.is_part, false) as is_replaced,
      (select count(*) from ${partsOfDay}
          and rows.booking_reference is not distinct from input.booking_reference
          and rows.booking_payments = input.booking_payments and rows.statement_id = :statementId and rows.position < :first
          and coalesce(rows.added, not rows.already_known))::integer as earlier
    from :rows
    cross join lateral (
      (select each.id from transfers as each
        where input.by_day and input.kind = 'booked' and each.requisite_id = input.requisite_id
          and each.amount between input.booking_amount and input.booking_amount
          and each.booked_at between input.since and input.until
        order by each.amount, each.booked_at limit 100)
      union (select each.id from outgoing_transfers as each
        where input.by_day and input.kind = 'outgoing' and each.requisite_id = input.requisite_id
          and each.amount between input.booking_amount and input.booking_amount
          and each.booked_at between input.since and input.until
        order by each.amount, each.booked_at limit 100)
      union (select rows.transfer_id from ${underReference} and rows.amount = rows.booking_amount)
    ) as found
    cross join lateral (
      select root.id, root.dedupe_key, root.amount, (root.sender_masked <> '' or root.sender_name_masked is not null) as is_named,
        exists (select from transfer_parts as parts where parts.requisite_id = root.requisite_id
          and parts.transfer_id = root.id and parts.replaced_at is null and parts.kind <> 'suspense') as is_decided,
        root.duplicate_of is not null as is_doubtful
      from transfers as each
      join transfers as root on root.requisite_id = each.requisite_id and root.id = ${moneyOf('each')}
      where input.kind = 'booked' and each.requisite_id = input.requisite_id and each.id = found.id
        and root.dedupe_key not like 'withdrawn:%'
      union all
      select root.id, keys.dedupe_key, root.amount, root.payee_masked <> '', root.state <> 'unexplained', root.duplicate_of is not null
      from outgoing_transfers as each
      join outgoing_transfers as root on root.requisite_id = each.requisite_id
        and root.id = case each.state when 'duplicate' then each.duplicate_of else each.id end
      join outgoing_keys as keys on keys.outgoing_id = root.id
      where input.kind = 'outgoing' and each.requisite_id = input.requisite_id and each.id = found.id
        and root.state <> 'withdrawn' and not root.given_back
    ) as money
    cross join lateral (
      select min(rows.booking_payments) as payments, bool_or(rows.booking_reference = input.booking_reference) as is_referred,
        bool_or(rows.booking_reference is not null) as has_reference,
        bool_or(rows.bank_reference = rows.booking_reference) as is_entry,
        bool_or(rows.booking_amount <> rows.amount) as is_part,
        bool_or(rows.statement_id = :statementId) as is_own
      from statement_rows as rows
      where rows.requisite_id = input.requisite_id and rows.transfer_id = any(array(
        select money.id
        union all select same.id from transfers as same where same.requisite_id = input.requisite_id
          and same.duplicate_of = money.id and ${moneyOf('same')} = money.id))
    ) as said
    where said.is_part is not true or said.is_own and said.is_referred`,
})

/** Bookings that others reported in parts: all parts in order, and those known as sums of the channel. */
export const listBatches = query('list_bookings_in_parts', {
  parameters: { statementId: uuid },
  rows: { ...booking, channel: text },
  row: {
    position: integer,
    amount: bigint,
    payments: nullable(integer),
    isReferred: boolean,
    hasReference: boolean,
    /** Whether a sum was reported under that reference as its own. */
    hasEntry: boolean,
    parts: jsonb<readonly string[]>(),
    summed: jsonb<readonly string[]>(),
  },
  text: `select input.position, batch.amount, batch.payments,
      coalesce(batch.reference = input.booking_reference, false) as is_referred,
      batch.reference is not null as has_reference, exists (select from ${underReference}
          and rows.bank_reference = rows.booking_reference) as has_entry, to_jsonb(batch.parts) as parts, to_jsonb(array(
        select sums.duplicate_of from transfers as sums where input.kind = 'booked'
          and sums.requisite_id = input.requisite_id and sums.duplicate_of = any(batch.parts)
          and sums.channel = input.channel and sums.amount = batch.amount
        union all
        select sums.duplicate_of from outgoing_transfers as sums where input.kind = 'outgoing'
          and sums.duplicate_of = any(batch.parts) and sums.channel = input.channel and sums.amount = batch.amount
      )) as summed
    from :rows cross join lateral (
      select each.booking_amount as amount, each.booking_payments as payments, each.booking_reference as reference,
        array_agg(each.transfer_id order by each.statement_id, each.position) as parts
      from (
        select distinct on (rows.transfer_id) rows.* from (
          (select * from ${underReference})
          union
          (select * from ${partsOfDay} and input.by_day and rows.transfer_id is not null
            and rows.statement_id <> :statementId)
        ) as rows
        join statements on statements.id = rows.statement_id and statements.state in ('importing', 'imported')
        where rows.amount <> rows.booking_amount
        order by rows.transfer_id, rows.statement_id, rows.position
      ) as each
      group by each.booking_amount, each.booking_payments, each.booking_reference
    ) as batch`,
})

import { array, bigint, boolean, instant, nullable, query, table, text, uuid } from 'payin-database'
import { messageChannel, operatorChannel } from '../../../rules/transfers/channel.ts'
import { gaveWay, givesWay } from '../lone-reports/store.ts'
import { hasPart, hasPartOfKind } from '../store.ts'

/** Whether a transfer still counts as a possible or certain duplicate: its money was neither assigned nor set aside. */
const isDuplicate = (transfer: string): string => `not ${hasPartOfKind(`not in ('suspense', 'duplicate')`, transfer)}`

const comparable = {
  requisiteId: uuid,
  /** The transfer whose money it is: itself, or the one that it duplicates. */
  id: uuid,
  dedupeKey: text,
  channel: text,
  amount: bigint,
  bookedAt: instant,
  earliestAt: nullable(instant),
  recordedAt: instant,
  senderMasked: text,
  bankReference: nullable(text),
  referenceKind: nullable(text),
  likeness: nullable(text),
  isDoubtful: boolean,
  givesWay: boolean,
  /** The channel whose report was compared with it. */
  comparedChannel: text,
}

const found = `found.dedupe_key, coalesce(found.channel, '') as channel, found.amount, found.booked_at, found.earliest_at, found.recorded_at, found.sender_masked,
      found.bank_reference, found.reference_kind, found.likeness`

// A certain duplicate is listed as the transfer whose money it is; a possible one that waits, as itself.
const money = `case when each.duplicate_of is not null and ${hasPartOfKind(`= 'duplicate'`, 'each')}
        then each.duplicate_of else each.id end`

/** Whether the compared channel reports a found transfer as well, under its reference or by a duplicate of it. */
const isReportedIn = (ofReport: string, ofDuplicate: string): string => `(exists (
        select from transfer_reports as reports where reports.requisite_id = found.requisite_id
          and reports.transfer_id = found.id and reports.channel = input.channel and ${ofReport})
      or exists (select from (
          select * from transfers as each where each.requisite_id = found.requisite_id
            and each.duplicate_of between found.money and found.money and each.channel = input.channel
            and each.amount = found.amount and ${isDuplicate('each')} and ${ofDuplicate}
          order by each.duplicate_of limit 1) as duplicates))`

/**
 * Transfers of an amount near a time that other channels reported and the compared channel did not, not even by a
 * duplicate. That one operator alone has reported them there makes them doubtful, unless the same is true of what is
 * compared (`isLone`). Of duplicates only the sums of other transfers, which may be reported again. Includes transfers
 * whose statement is being withdrawn, because that may be given up.
 */
export const listReportedElsewhere = query('list_transfers_reported_elsewhere', {
  parameters: { isLone: boolean },
  rows: { requisiteId: uuid, amount: bigint, channel: text, source: text, since: instant, until: instant },
  row: comparable,
  // Ranges in index order instead of equalities: a plan made while the table was empty would read all transfers of the
  // requisite.
  text: `select distinct found.requisite_id, found.money as id, ${found},
      found.money = found.id and found.duplicate_of is not null and ${isDuplicate('found')}
        or ${isReportedIn('true', 'true')} as is_doubtful,
      ${givesWay('found')} as gives_way, input.channel as compared_channel
    from :rows
    cross join lateral (
      select each.*, ${money} as money from transfers as each
      where each.requisite_id = input.requisite_id and each.amount between input.amount and input.amount
        and each.booked_at between input.since and input.until
        and each.channel <> input.channel and each.source <> input.source and each.dedupe_key not like 'withdrawn:%'
      order by each.amount, each.booked_at limit 10000
    ) as found
    where (found.money = found.id or exists (select from transfers as original
        where original.requisite_id = found.requisite_id and original.id = found.money and original.amount <> found.amount))
      and not ${isReportedIn('(:isLone or not reports.lone)', '(:isLone or each.reported_by is null)')}
    order by found.booked_at, found.money`,
})

const reportedRow = {
  ...comparable,
  /** The transfer that this report created. */
  reportId: uuid,
  senderSealed: nullable(text),
  senderNameSealed: nullable(text),
}

const reportedColumns = `found.requisite_id, found.money as id, ${found}, found.duplicate_of is not null
        and ${hasPartOfKind(`= 'suspense'`, 'found')} and ${isDuplicate('found')} as is_doubtful,
      ${givesWay('found')} as gives_way, input.channel as compared_channel, found.id as report_id, found.sender_sealed, found.sender_name_sealed`

/** What earlier files of the compared channel reported, unless its reporter has another row that counts as that money. */
const reportedBefore = (alike: string, order: string, column = ''): string => `select ${reportedColumns}${column}
    from :rows
    cross join lateral (
      select each.*, ${money} as money
      from transfers as each
      where each.requisite_id = input.requisite_id and ${alike}
        and each.channel = input.channel and each.source <> input.source and each.dedupe_key not like 'withdrawn:%'
      order by ${order} limit 10000
    ) as found
    where not exists (select from (
        select * from transfers as each where each.requisite_id = found.requisite_id
          and each.duplicate_of between found.money and found.money and each.source = input.source
          and ${isDuplicate('each')}
        order by each.duplicate_of limit 1) as duplicates)
    order by found.booked_at, found.id`

export const listAlike = query('list_alike_transfers', {
  rows: { requisiteId: uuid, likeness: text, channel: text, source: text },
  row: reportedRow,
  text: reportedBefore('each.likeness between input.likeness and input.likeness', 'each.requisite_id, each.likeness'),
})

/** As `listAlike`, whatever their text: a file that no longer has them may report them on another day. */
export const listNearby = query('list_nearby_transfers', {
  rows: { requisiteId: uuid, amount: bigint, channel: text, source: text, since: instant, until: instant },
  row: { ...reportedRow, textSealed: nullable(text) },
  text: reportedBefore(
    `each.amount between input.amount and input.amount and each.booked_at between input.since and input.until
        and each.likeness is not null`,
    'each.amount, each.booked_at',
    ', found.text_sealed',
  ),
})

export const listMoneyByKey = query('list_money_of_transfers_by_key', {
  rows: { requisiteId: uuid, dedupeKey: text },
  row: {
    requisiteId: uuid,
    dedupeKey: text,
    reportId: uuid,
    id: uuid,
    source: text,
    channel: text,
    likeness: nullable(text),
  },
  text: `select each.requisite_id, each.dedupe_key, each.id as report_id, ${money} as id,
      each.source, coalesce(each.channel, '') as channel, each.likeness
    from transfers as each where (each.requisite_id, each.dedupe_key) in (select * from :rows)`,
})

/** Lets one report at a time be compared on a requisite: of two with the same money, the second sees the first. */
export const lockComparing = query('lock_comparing_on_requisites', {
  parameters: { requisiteIds: array(uuid), shared: boolean },
  row: { locked: text },
  text: `with sorted as materialized (select distinct id from unnest(:requisiteIds) as id order by id)
    select case when :shared then pg_advisory_xact_lock_shared(hashtextextended('compare ' || id, 0))::text
      else pg_advisory_xact_lock(hashtextextended('compare ' || id, 0))::text end as locked from sorted`,
})

export const lockOriginals = query('lock_original_transfers', {
  rows: { requisiteId: uuid, id: uuid },
  row: { id: uuid },
  text: `select id from transfers where (requisite_id, id) in (select * from :rows)
    order by requisite_id, id for key share`,
})

export const insertReports = query('insert_transfer_reports', {
  parameters: { isLone: boolean },
  rows: { requisiteId: uuid, id: uuid, channel: text },
  text: `insert into transfer_reports as known (requisite_id, transfer_id, channel, lone)
    select distinct requisite_id, id, channel, :isLone from :rows order by 1, 2, 3
    on conflict (requisite_id, transfer_id, channel) do update set lone = excluded.lone where known.lone`,
})

/** One of some transfers that a feed or an operator also reported. */
export const selectFurtherReport = query('find_further_report_of_transfers', {
  rows: { requisiteId: uuid, id: uuid },
  row: { id: uuid, channel: text },
  // Other files are left out: their statements show what they report, and may have been withdrawn since.
  text: `select reports.transfer_id as id, reports.channel from :rows
    join transfer_reports as reports on reports.requisite_id = input.requisite_id and reports.transfer_id = input.id
    where reports.channel = 'operator' or reports.channel like 'feed:%' limit 1`,
})

/** Records what is, or (unless `certain`) may be, the same money as transfers as that of the ones that take their place. */
export const moveDuplicates = query('move_duplicates_of_transfers', {
  parameters: { certain: boolean },
  rows: { requisiteId: uuid, id: uuid, duplicateOf: uuid },
  text: `update transfers set duplicate_of = input.duplicate_of from :rows
    where transfers.requisite_id = input.requisite_id and transfers.duplicate_of between input.id and input.id
      and transfers.id <> input.duplicate_of and (not :certain or ${hasPartOfKind(`= 'duplicate'`)})`,
})

export const setDuplicates = table('transfers', { requisiteId: uuid, id: uuid }).updateAll('set_transfer_duplicates', {
  duplicateOf: nullable(uuid),
})

/** A duplicate from another report; rows of one file are withdrawn together, and what gave way returns. */
export const findDuplicateOf = query('find_duplicate_of_transfers', {
  rows: { requisiteId: uuid, id: uuid },
  row: { id: uuid, duplicateOf: nullable(uuid) },
  text: `select each.id, each.duplicate_of from :rows
    join transfers as original on original.requisite_id = input.requisite_id and original.id = input.id
    join transfers as each on each.requisite_id = input.requisite_id and each.duplicate_of = input.id
      and each.source <> original.source
    where ${isDuplicate('each')} and not ${gaveWay('each', 'original')} limit 1`,
})

const isOwnBooking = (row: string): string => `${row}.kind = 'booked' and ${row}.dedupe_key not like 'again:%'`

/**
 * A confirmed file that lists both of two transfers, or what is certainly the same money as they are. Rows that repeat a
 * reference of their file do not count: two of them may be one booking.
 */
export const findFileOfBoth = query('find_file_of_both_transfers', {
  parameters: { requisiteId: uuid, id: uuid, otherId: uuid },
  row: { fileName: text },
  // Ranges in index order, so that no kept plan reads all transfers of the requisite.
  text: `with recursive money (of, id) as (
      select id, id from unnest(array[:id, :otherId]) as id
      union
      select money.of, same.id from money cross join lateral (
        select duplicate_of as id from transfers
        where requisite_id = :requisiteId and id between money.id and money.id and ${hasPartOfKind(`= 'duplicate'`)}
        union all
        select id from transfers
        where requisite_id = :requisiteId and duplicate_of between money.id and money.id
          and ${hasPartOfKind(`= 'duplicate'`)}) as same
    )
    select statements.file_name from money join statement_rows as own on own.requisite_id = :requisiteId
      and own.transfer_id between money.id and money.id and ${isOwnBooking('own')}
    join statements on statements.id = own.statement_id and statements.state in ('importing', 'imported')
      and statements.reported_by is null
    where money.of = :id and exists (select from money as other
      join statement_rows as listed on listed.requisite_id = :requisiteId
        and listed.transfer_id between other.id and other.id and ${isOwnBooking('listed')}
      where other.of = :otherId and listed.statement_id = own.statement_id)
    limit 1`,
})

/** Transfers of a file that an operator has called the money of another one, which the file lists as well. */
export const listCalledSame = query('list_transfers_called_the_same_money', {
  parameters: { statementId: uuid },
  row: { requisiteId: uuid, id: uuid },
  text: `select distinct each.requisite_id, each.id from statement_rows as own
    join transfers as each on each.requisite_id = own.requisite_id and each.id = own.transfer_id
    where own.statement_id = :statementId and ${isOwnBooking('own')} and each.duplicate_of is not null
      and ${hasPart(`parts.kind = 'duplicate' and parts.decided_by <> 'service'`, 'each')}
      and (exists (select from statement_rows as listed where listed.requisite_id = own.requisite_id
          and listed.transfer_id = each.duplicate_of and listed.statement_id = own.statement_id
          and ${isOwnBooking('listed')})
        or exists (select from statement_rows as listed where listed.statement_id = own.statement_id
          and listed.duplicate_of = each.duplicate_of and listed.duplicate_certain and listed.transfer_id <> each.id
          and ${isOwnBooking('listed')}))
    order by each.requisite_id, each.id`,
})

/** Whether a report proves the money of another one: it is a bank's, by a file or a feed, and not one person's word. */
const proves = (report: string): string => `${report}.reported_by is null
        and ${report}.channel not in ('${messageChannel}', '${operatorChannel}')`

/**
 * Whether no bank but by phones has reported the money of a transfer. It is what the column `unproven` says; a transfer
 * that is the money of another one is never unproven itself.
 */
const isUnproven = (transfer: string): string => `(${transfer}.channel = '${messageChannel}'
      and not ${hasPartOfKind(`= 'duplicate'`, transfer)}
      and not exists (select from (
        select each.id from transfers as each where each.requisite_id = ${transfer}.requisite_id
          and each.duplicate_of between ${transfer}.id and ${transfer}.id
          and ${proves('each')} and ${hasPartOfKind(`= 'duplicate'`, 'each')}
        order by each.duplicate_of limit 1) as proof))`

/** Lets nobody else note whether transfers are proven until the transaction ends. */
export const lockToNoteProof = query('lock_transfers_to_note_proof', {
  rows: { requisiteId: uuid, id: uuid },
  row: { id: uuid },
  text: `select transfers.id from transfers join :rows on transfers.requisite_id = input.requisite_id
      and transfers.id = input.id
    where transfers.channel = '${messageChannel}' order by transfers.requisite_id, transfers.id for no key update of transfers`,
})

export const updateUnproven = query('update_unproven_transfers', {
  rows: { requisiteId: uuid, id: uuid },
  text: `update transfers set unproven = not transfers.unproven from :rows
    where transfers.requisite_id = input.requisite_id and transfers.id = input.id
      and transfers.channel = '${messageChannel}' and transfers.unproven <> ${isUnproven('transfers')}`,
})

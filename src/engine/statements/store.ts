import {
  array,
  bigint,
  boolean,
  fewRows,
  given,
  inSpan,
  instant,
  integer,
  jsonb,
  nullable,
  query,
  table,
  text,
  typedName,
  uuid,
  word,
} from 'payin-database'
import type { CsvMapping, LineFault, StatementCharset, StatementFormat } from 'bank-files/pure'
import type {
  RecordedRowKind,
  StatementAccount,
  StatementCounts,
  StatementState,
} from '../../rules/statements/statement-import.ts'
import type { PartKind } from '../../rules/transfers/transfer.ts'

const content = {
  size: bigint,
  contentHash: text,
  format: nullable(word<StatementFormat>()),
  charset: nullable(word<StatementCharset>()),
  mapping: nullable(jsonb<CsvMapping>()),
  accounts: jsonb<readonly StatementAccount[]>(),
  counts: jsonb<StatementCounts>(),
  faults: jsonb<readonly LineFault[]>(),
}

const progress = {
  state: word<StatementState>(),
  confirmedBy: nullable(text),
  confirmedAt: nullable(instant),
  /** The operator on whose word alone it stands; null for two people, and for those whose reports have no bound. */
  reportedBy: nullable(text),
  importedTo: integer,
  importedAt: nullable(instant),
  withdrawnBy: nullable(text),
  withdrawnAt: nullable(instant),
  withdrawalReason: nullable(text),
  /** The last row that a withdrawal has checked, and the last whose transfer it has withdrawn. */
  ...{ withdrawalCheckedTo: integer, withdrawnTo: integer },
  withdrawalFailure: nullable(text),
  counts: jsonb<StatementCounts>(),
}

const statementRow = {
  id: uuid,
  fileName: text,
  sourceId: nullable(uuid),
  /** Who alone had changed the source as it was when the file was read, if nobody had approved that. */
  sourceChangedBy: nullable(text),
  uploadedBy: text,
  uploadedAt: instant,
  ...content,
  size: nullable(bigint),
  contentHash: nullable(text),
  ...progress,
}

export const insertStatement = query('insert_statement', {
  parameters: {
    id: uuid,
    fileName: text,
    sourceId: nullable(uuid),
    sourceChangedBy: nullable(text),
    counts: jsonb<StatementCounts>(),
    by: text,
    at: instant,
  },
  text: `insert into statements (id, state, file_name, source_id, source_changed_by, accounts, counts, faults, uploaded_by,
      uploaded_at)
    values (:id, 'reading', :fileName, :sourceId, :sourceChangedBy, '[]', :counts, '[]', :by, :at)
    on conflict (id) do nothing`,
})

export const endReading = query('end_reading_of_statement', {
  parameters: { id: uuid, state: word<StatementState>(), ...content },
  text: `update statements set state = :state, ${given(content)}
    where id = :id and state = 'reading'`,
})

/** Deletes a statement that was not read to its end, with its rows. */
export const deleteStatement = query('delete_statement', {
  parameters: { id: uuid },
  text: `with gone as (delete from statements where id = :id and state = 'reading' returning id)
    delete from statement_rows where statement_id in (select id from gone)`,
})

export const deleteRows = table('statement_rows', { statementId: uuid }).delete('delete_statement_rows')

const statements = table('statements', { id: uuid })

const ofId = statements.findAndLock('statement', statementRow)

export const findStatement = ofId.find
/** Excludes every other change: two processes take turns importing it, and none withdraws what another imports. */
export const selectStatementForUpdate = ofId.lock

/** The other statement with a content, unless it was refused, discarded or withdrawn. */
export const findOfContent = query('find_statement_of_content', {
  parameters: { id: uuid, contentHash: text },
  row: statementRow,
  text: `select :row from statements where content_hash = :contentHash and id <> :id
      and state in ('ready', 'importing', 'imported', 'withdrawing')`,
})

export const selectStatements = statements.page('list_statements', statementRow, { filter: {}, where: 'true' })

/** Statements with work to do, and abandoned readings. Withdrawals come first: imports wait for them. */
export const listUnderWay = query('list_statements_under_way', {
  parameters: { startedBefore: instant },
  row: { id: uuid, state: word<StatementState>() },
  text: `select id, state from statements
    where state in ('reading', 'importing', 'withdrawing') and (state <> 'reading' or uploaded_at < :startedBefore)
    order by state = 'withdrawing' desc, id limit 20`,
})

export const findInState = query('find_statement_in_state', {
  parameters: { state: word<'importing' | 'withdrawing'>() },
  row: { id: uuid },
  text: `select id from statements
    where state in ('reading', 'importing', 'withdrawing') and state = :state order by id limit 1`,
})

/** All statements that are being imported, locked: waits for transactions that are recording their rows. */
export const lockImporting = query('lock_importing_statements', {
  row: { id: uuid },
  text: `select id from statements where state = 'importing' order by id for update`,
})

export const changeStatement = statements.update('change_statement', progress)

/**
 * The transfer or reversal with the key of a row of `input`. A range in index order instead of an equality: a plan made
 * while the table was empty read all transfers of the requisite for each key (800 ms for a thousand).
 */
export const byKey = (
  from: 'transfers' | 'transfer_reversals',
  only = '',
  columns = 'each.booked_at',
): string => `select ${columns}
    from ${from} as each
    where each.requisite_id = input.requisite_id and each.dedupe_key between input.dedupe_key and input.dedupe_key ${only}
    order by each.dedupe_key limit 1`

/** Equal parts of a transfer are reversed on several days under its one reference. */
export const ofThisDay = `and (each.booked_at between input.booked_at - interval '1 day' and input.booked_at + interval '1 day'
      or not exists (select from transfers as whole where whole.requisite_id = each.requisite_id
        and whole.id = each.transfer_id and whole.amount > each.amount))`

const givenRow = {
  position: integer,
  line: integer,
  kind: word<RecordedRowKind>(),
  requisiteId: uuid,
  currency: text,
  amount: bigint,
  bookedAt: instant,
  bookedOn: nullable(text),
  bankReference: nullable(text),
  referenceKind: nullable(text),
  likeness: nullable(text),
  channel: text,
  senderMasked: text,
  detailsSealed: text,
  bookingReference: nullable(text),
  bookingAmount: nullable(bigint),
  bookingPayments: nullable(integer),
}

const stagedRow = { ...givenRow, fingerprint: text, chosen: boolean }

/** Adds rows of one statement; what their keys are and what of them is known is found when all have been read. */
export const insertRows = query('insert_statement_rows', {
  parameters: { statementId: uuid },
  rows: stagedRow,
  text: `insert into statement_rows (statement_id, :columns, dedupe_key, already_known)
    select :statementId, :columns, case when bank_reference is null then fingerprint || ':0' else fingerprint end, false
    from :rows on conflict (statement_id, position) do nothing`,
})

const storedRow = {
  ...givenRow,
  fingerprint: text,
  dedupeKey: text,
  alreadyKnown: boolean,
  duplicateOf: nullable(uuid),
  duplicateCertain: boolean,
  replaces: boolean,
  transferId: nullable(uuid),
  added: nullable(boolean),
}

export type StoredRow = ReturnType<typeof listRows.decode>

export const listRows = query('list_statement_rows', {
  parameters: { statementId: uuid, after: integer, limit: integer },
  row: storedRow,
  text: `select :row from statement_rows
    where statement_id = :statementId and position > :after order by position limit :limit`,
})

/** Where the money of recorded rows is: of each, the first current part of its transfer. */
export const listMoneyOfRows = query('list_money_of_statement_rows', {
  parameters: { statementId: uuid, positions: array(integer) },
  row: { position: integer, kind: word<PartKind>(), merchantId: nullable(uuid), paymentId: nullable(uuid) },
  text: `select distinct on (own.position) own.position, parts.kind, parts.merchant_id, parts.payment_id
    from statement_rows as own
    join transfer_parts as parts on parts.requisite_id = own.requisite_id and parts.transfer_id = own.transfer_id
      and parts.replaced_at is null
    where own.statement_id = :statementId and own.position = any(:positions)
    order by own.position, parts.number`,
})

/**
 * The real money that a statement moves and that nobody has reported before, as far as its preview says, by whether its
 * import may hold it.
 */
export const sumLoneRows = query('sum_lone_statement_rows', {
  parameters: { statementId: uuid },
  row: { currency: text, isHeld: boolean, amount: bigint },
  text: `select currency, kind = 'booked' as is_held, least(sum(amount), 9e18)::bigint as amount from statement_rows
    where statement_id = :statementId and kind in ('booked', 'reversal', 'outgoing', 'outgoing-reversal') and not already_known
        and not duplicate_certain and requisite_id in (select id from requisites where mode = 'live')
    group by currency, kind = 'booked'`,
})

/** How many new rows a statement and the others that one person alone has confirmed since a time have, up to a limit. */
export const countLoneRows = query('count_lone_statement_rows', {
  parameters: { statementId: uuid, by: text, since: instant, until: instant, limit: integer },
  row: { rows: integer },
  text: `select count(*)::integer as rows from (
      select from statement_rows
      where statement_id in (
          select :statementId union all select id from statements
          where reported_by = :by and confirmed_at > :since and confirmed_at <= :until)
        and kind in ('booked', 'reversal', 'outgoing', 'outgoing-reversal')
        and coalesce(added, not already_known and not duplicate_certain)
      limit :limit) as counted`,
})

export const findRowBefore = query('find_statement_row_before', {
  parameters: { statementId: uuid, requisiteId: uuid, before: instant },
  row: { position: integer },
  text: `select position from statement_rows
    where statement_id = :statementId and requisite_id = :requisiteId and booked_at < :before limit 1`,
})

export const listUnrecorded = query('list_unrecorded_statement_rows', {
  parameters: { statementId: uuid, kinds: array(word<RecordedRowKind>()), limit: integer },
  row: storedRow,
  text: `select :row from statement_rows
    where statement_id = :statementId and kind = any (:kinds) and added is null order by position limit :limit`,
})

export const listReversedAmounts = query('list_reversed_amounts_of_statement', {
  parameters: { statementId: uuid, amounts: array(bigint) },
  row: { amount: bigint },
  text: `select distinct amount from statement_rows
    where statement_id = :statementId and kind = 'reversal' and amount = any (:amounts)`,
})

export const updateRows = query('update_statement_rows', {
  parameters: { statementId: uuid },
  rows: {
    position: integer,
    requisiteId: uuid,
    transferId: nullable(uuid),
    added: boolean,
    duplicateOf: nullable(uuid),
    duplicateCertain: boolean,
  },
  text: `update statement_rows
    set requisite_id = input.requisite_id, transfer_id = input.transfer_id, added = input.added,
      duplicate_of = input.duplicate_of, duplicate_certain = input.duplicate_certain
    from :rows
    where statement_rows.statement_id = :statementId and statement_rows.position = input.position`,
})

export const countRecorded = query('count_recorded_statement_rows', {
  parameters: { statementId: uuid },
  row: { added: integer, known: integer },
  text: `select count(*) filter (where added)::integer as added, count(*) filter (where not added)::integer as known
    from statement_rows where statement_id = :statementId`,
})

export const findOtherStatement = query('find_other_statement_of_transfers', {
  parameters: { statementId: uuid },
  rows: { requisiteId: uuid, id: uuid },
  row: { id: uuid },
  text: `select others.statement_id as id from :rows
      join statement_rows as others on others.requisite_id = input.requisite_id and others.transfer_id = input.id
        and others.statement_id <> :statementId
      join statements
        on statements.id = others.statement_id and statements.state in ('importing', 'imported', 'withdrawing')
    limit 1`,
})

export const listReporting = query('list_rows_that_report_transfers', {
  rows: { requisiteId: uuid, id: uuid },
  row: { id: uuid, statementId: uuid, position: integer, detailsSealed: text },
  text: `select input.id, reporting.statement_id, reporting.position, reporting.details_sealed from :rows
    join statement_rows as reporting on reporting.requisite_id = input.requisite_id and reporting.transfer_id = input.id`,
})

export const listAdded = query('list_added_statement_rows', {
  parameters: { statementId: uuid, after: integer, limit: integer },
  row: { position: integer, kind: word<RecordedRowKind>(), requisiteId: uuid, transferId: nullable(uuid) },
  text: `select :row from statement_rows
    where statement_id = :statementId and position > :after and added order by position limit :limit`,
})

export const countOutcomes = query('count_statement_outcomes', {
  parameters: { statementId: uuid },
  row: { outcome: text, kind: text, transfers: integer },
  text: `select parts.outcome, parts.kind, count(*)::integer as transfers from statement_rows
    join transfer_parts as parts on parts.requisite_id = statement_rows.requisite_id
      and parts.transfer_id = statement_rows.transfer_id
    where statement_rows.statement_id = :statementId and statement_rows.kind = 'booked' and statement_rows.added
      and parts.replaced_at is null
    group by parts.outcome, parts.kind
    union all
    select 'reversal', found.kind, count(*)::integer from statement_rows
    join transfer_reversals as reversals on reversals.requisite_id = statement_rows.requisite_id
      and reversals.dedupe_key = statement_rows.dedupe_key
    cross join lateral (select case when reversals.transfer_id is not null then 'reversed'
        when reversals.resolved_at is null then 'open' else 'ignored' end) as found (kind)
    where statement_rows.statement_id = :statementId and statement_rows.kind = 'reversal' and statement_rows.added
    group by found.kind
    order by 1, 2`,
})

export const findStatements = query('find_statements', {
  parameters: typedName,
  row: { id: uuid, fileName: text, state: word<StatementState>(), uploadedAt: instant },
  text: `select :row from (
      (select newest.* from (
          select id, file_name, state, uploaded_at from statements order by id desc limit 2000
        ) as newest where file_name = :typed order by id desc ${fewRows})
      union
      (select id, file_name, state, uploaded_at from statements where ${inSpan('statements')} order by id desc ${fewRows})
    ) as found order by id desc ${fewRows}`,
})

const ofRealMoney = `requisite_id in (select id from requisites where mode = 'live')`

/** Rows of real money that nobody has to explain, or to give back, once their statement is withdrawn. */
const missedOnceWithdrawn = `added and ${ofRealMoney} and (kind = 'outgoing'
      or kind = 'booked' and statement_id in (select id from statements where reported_by is null))`

/** The sums of such rows of a statement, by currency. */
export const sumMissedRows = query('sum_missed_statement_rows', {
  parameters: { statementId: uuid },
  row: { currency: text, amount: bigint },
  text: `select currency, least(sum(amount), 9e18)::bigint as amount from statement_rows
    where statement_id = :statementId and ${missedOnceWithdrawn}
    group by currency`,
})

/** The same of the statements that an operator alone has withdrawn since a time. */
export const sumWithdrawnAlone = query('sum_rows_withdrawn_alone', {
  parameters: { by: text, since: instant, until: instant },
  row: { currency: text, amount: bigint },
  text: `select currency, least(sum(amount), 9e18)::bigint as amount from statement_rows
    where ${missedOnceWithdrawn} and statement_id in (select id from statements
      where withdrawn_by = :by and (state = 'withdrawing'
        or state = 'withdrawn' and withdrawn_at > :since and withdrawn_at <= :until))
    group by currency`,
})

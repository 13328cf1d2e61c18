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
} from '../database/query.ts'
import type { CsvMapping } from '../domain/csv-mapping.ts'
import type { LineFault, StatementCharset, StatementFormat } from '../domain/statement.ts'
import type { StatementAccount, StatementCounts, StatementState } from '../domain/statement-import.ts'

const statementRow = {
  id: uuid,
  state: word<StatementState>(),
  fileName: text,
  sourceId: nullable(uuid),
  size: nullable(bigint),
  contentHash: nullable(text),
  format: nullable(word<StatementFormat>()),
  charset: nullable(word<StatementCharset>()),
  mapping: nullable(jsonb<CsvMapping>()),
  accounts: jsonb<readonly StatementAccount[]>(),
  counts: jsonb<StatementCounts>(),
  faults: jsonb<readonly LineFault[]>(),
  uploadedBy: text,
  uploadedAt: instant,
  confirmedBy: nullable(text),
  confirmedAt: nullable(instant),
  importedTo: integer,
  importedAt: nullable(instant),
  undoneBy: nullable(text),
  undoneAt: nullable(instant),
  undoReason: nullable(text),
  undoCheckedTo: integer,
  undoneTo: integer,
  undoFailure: nullable(text),
}

const columns = `id, state, file_name, source_id, size, content_hash, format, charset, mapping, accounts, counts, faults,
  uploaded_by, uploaded_at, confirmed_by, confirmed_at, imported_to, imported_at, undone_by, undone_at, undo_reason,
  undo_checked_to, undone_to, undo_failure`

/** Starts a statement that is being read. */
export const insertStatement = query({
  name: 'insert_statement',
  parameters: {
    id: uuid,
    fileName: text,
    sourceId: nullable(uuid),
    counts: jsonb<StatementCounts>(),
    by: text,
    at: instant,
  },
  row: {},
  text: `insert into statements (id, state, file_name, source_id, accounts, counts, faults, uploaded_by, uploaded_at)
    values (:id, 'reading', :fileName, :sourceId, '[]', :counts, '[]', :by, :at)
    on conflict (id) do nothing`,
})

/** Ends the reading of a statement. */
export const finishStatement = query({
  name: 'finish_statement',
  parameters: {
    id: uuid,
    state: word<StatementState>(),
    size: bigint,
    contentHash: text,
    format: nullable(word<StatementFormat>()),
    charset: nullable(word<StatementCharset>()),
    mapping: nullable(jsonb<CsvMapping>()),
    accounts: jsonb<readonly StatementAccount[]>(),
    counts: jsonb<StatementCounts>(),
    faults: jsonb<readonly LineFault[]>(),
  },
  row: {},
  text: `update statements set state = :state, size = :size, content_hash = :contentHash, format = :format,
      charset = :charset, mapping = :mapping, accounts = :accounts, counts = :counts, faults = :faults
    where id = :id and state = 'reading'`,
})

/** Takes a content for a statement; no row when another one has it. Waits for one that is just taking it. */
export const claimContent = query({
  name: 'claim_statement_content',
  parameters: { contentHash: text, statementId: uuid },
  row: { statementId: uuid },
  text: `insert into statement_contents (content_hash, statement_id) values (:contentHash, :statementId)
    on conflict (content_hash) do nothing returning statement_id`,
})

/** The statement that stands for a content. */
export const findContent = query({
  name: 'find_statement_content',
  parameters: { contentHash: text },
  row: { statementId: uuid },
  text: `select statement_id from statement_contents where content_hash = :contentHash`,
})

/** Gives the content of a statement free, so that the file may be uploaded again. */
export const releaseContent = query({
  name: 'release_statement_content',
  parameters: { statementId: uuid, contentHash: text },
  row: {},
  text: `delete from statement_contents where content_hash = :contentHash and statement_id = :statementId`,
})

/** Removes a statement of which nothing came. */
export const deleteStatement = query({
  name: 'delete_statement',
  parameters: { id: uuid },
  row: {},
  text: `delete from statements where id = :id and state = 'reading'`,
})

/** Removes rows of a statement that is not to be imported. */
export const deleteRows = query({
  name: 'delete_statement_rows',
  parameters: { statementId: uuid },
  row: {},
  text: `delete from statement_rows where statement_id = :statementId`,
})

/** A statement. */
export const findStatement = query({
  name: 'find_statement',
  parameters: { id: uuid },
  row: statementRow,
  text: `select ${columns} from statements where id = :id`,
})

/** A statement, locked. */
export const lockStatement = query({
  name: 'lock_statement',
  parameters: { id: uuid },
  row: statementRow,
  // Excludes every other change of the statement: two processes import it by turns, none undoes what one imports.
  text: `select ${columns} from statements where id = :id for update`,
})

/** A page of statements, the newest first. */
export const listStatements = query({
  name: 'list_statements',
  planned: 'each-time',
  parameters: { before: nullable(uuid), limit: integer },
  row: statementRow,
  text: `select ${columns} from statements where :before is null or id < :before order by id desc limit :limit`,
})

/** Statements that are being undone or imported, or whose reading has not ended; what is undone holds up imports. */
export const listUnderWay = query({
  name: 'list_statements_under_way',
  parameters: { startedBefore: instant },
  row: { id: uuid, state: word<StatementState>() },
  text: `select id, state from statements
    where state in ('reading', 'importing', 'undoing') and (state <> 'reading' or uploaded_at < :startedBefore)
    order by state = 'undoing' desc, id limit 20`,
})

/** A statement that is being imported, if there is any. */
export const findImporting = query({
  name: 'find_importing_statement',
  parameters: {},
  row: { id: uuid },
  text: `select id from statements where state in ('reading', 'importing') and state = 'importing' limit 1`,
})

/** Moves a statement on. */
export const changeStatement = query({
  name: 'change_statement',
  parameters: {
    id: uuid,
    state: word<StatementState>(),
    counts: jsonb<StatementCounts>(),
    confirmedBy: nullable(text),
    confirmedAt: nullable(instant),
    importedTo: integer,
    importedAt: nullable(instant),
    undoneBy: nullable(text),
    undoneAt: nullable(instant),
    undoReason: nullable(text),
    undoCheckedTo: integer,
    undoneTo: integer,
    undoFailure: nullable(text),
  },
  row: {},
  text: `update statements set state = :state, counts = :counts, confirmed_by = :confirmedBy,
      confirmed_at = :confirmedAt, imported_to = :importedTo, imported_at = :importedAt, undone_by = :undoneBy,
      undone_at = :undoneAt, undo_reason = :undoReason, undo_checked_to = :undoCheckedTo, undone_to = :undoneTo,
      undo_failure = :undoFailure
    where id = :id`,
})

// A range in its order instead of an equality: a plan that was made while the table was empty took any index that begins
// with the requisite, and read all of its transfers for each key (800 ms for a thousand).
const byKey = (table: 'transfers' | 'transfer_reversals'): string => `select each.booked_at from ${table} as each
    where each.requisite_id = input.requisite_id and each.dedupe_key between input.dedupe_key and input.dedupe_key
    order by each.dedupe_key limit 1`

/** Adds rows of one statement in their order; `first` is the position of the first of them. */
export const insertRows = query({
  name: 'insert_statement_rows',
  parameters: {
    statementId: uuid,
    first: integer,
    positions: array(integer),
    lines: array(integer),
    kinds: array(word<'booked' | 'reversal'>()),
    requisiteIds: array(uuid),
    currencies: array(text),
    amounts: array(bigint),
    bookedAts: array(instant),
    fingerprints: array(text),
    ordinals: array(integer),
    bankReferences: array(nullable(text)),
    sendersMasked: array(text),
    detailsSealed: array(text),
    channels: array(text),
    chosen: array(boolean),
    entryReferences: array(nullable(text)),
    entryAmounts: array(nullable(bigint)),
    referenceKinds: array(nullable(text)),
  },
  row: { position: integer, ordinal: integer, knownAt: nullable(instant) },
  // Equal rows before these count, too, so that a row has the same key however the file was cut into sets.
  text: `with input as (
      select * from unnest(:positions, :lines, :kinds, :requisiteIds, :currencies, :amounts, :bookedAts, :fingerprints,
          :ordinals, :bankReferences, :sendersMasked, :detailsSealed, :channels, :referenceKinds, :chosen,
          :entryReferences, :entryAmounts)
        as input (position, line, kind, requisite_id, currency, amount, booked_at, fingerprint, ordinal, bank_reference,
          sender_masked, details_sealed, channel, reference_kind, chosen, entry_reference, entry_amount)
    ), placed as (
      select input.*, (ordinal + (select count(*) from statement_rows as earlier
          where earlier.statement_id = :statementId and earlier.fingerprint = input.fingerprint
            and earlier.requisite_id = input.requisite_id and earlier.position < :first))::integer as place
      from input
    ), keyed as (
      select placed.*, case when bank_reference is null then fingerprint || ':' || place else fingerprint end as dedupe_key
      from placed
    ), known as (
      select input.*, coalesce(transfers.booked_at, reversals.booked_at) as known_at from keyed as input
      left join lateral (${byKey('transfers')}) as transfers on input.kind = 'booked'
      left join lateral (${byKey('transfer_reversals')}) as reversals on input.kind = 'reversal'
    ), inserted as (
      insert into statement_rows (statement_id, position, line, kind, requisite_id, currency, amount, booked_at, fingerprint,
        dedupe_key, bank_reference, sender_masked, details_sealed, duplicate, channel, reference_kind,
        chosen, entry_reference, entry_amount)
      select :statementId, position, line, kind, requisite_id, currency, amount, booked_at, fingerprint, dedupe_key,
        bank_reference, sender_masked, details_sealed, known_at is not null, channel, reference_kind, chosen,
        entry_reference, entry_amount
      from known
      on conflict (statement_id, position) do nothing
    )
    select position, place as ordinal, known_at from known`,
})

const storedRow = {
  position: integer,
  line: integer,
  kind: word<'booked' | 'reversal'>(),
  requisiteId: uuid,
  currency: text,
  amount: bigint,
  bookedAt: instant,
  dedupeKey: text,
  bankReference: nullable(text),
  senderMasked: text,
  detailsSealed: text,
  duplicate: boolean,
  transferId: nullable(uuid),
  repeated: nullable(boolean),
  channel: nullable(text),
  referenceKind: nullable(text),
  repeatOf: nullable(uuid),
}

const rowColumns = `statement_rows.position, statement_rows.line, statement_rows.kind, statement_rows.requisite_id,
  statement_rows.currency, statement_rows.amount, statement_rows.booked_at, statement_rows.dedupe_key,
  statement_rows.bank_reference, statement_rows.sender_masked, statement_rows.details_sealed, statement_rows.duplicate,
  statement_rows.transfer_id, statement_rows.repeated, statement_rows.channel, statement_rows.reference_kind,
  statement_rows.repeat_of`

/** Rows of a statement after a position. */
export const listRows = query({
  name: 'list_statement_rows',
  parameters: { statementId: uuid, after: integer, limit: integer },
  row: storedRow,
  text: `select ${rowColumns} from statement_rows
    where statement_id = :statementId and position > :after order by position limit :limit`,
})

/** Rows of a statement that take money back and are not recorded yet. */
export const listReversalRows = query({
  name: 'list_statement_reversal_rows',
  parameters: { statementId: uuid, limit: integer },
  row: storedRow,
  text: `select ${rowColumns} from statement_rows
    where statement_id = :statementId and kind = 'reversal' and repeated is null order by position limit :limit`,
})

/** When transfers with the keys of rows were booked, of those rows whose keys are known by now. */
export const listKnownRows = query({
  name: 'list_known_statement_rows',
  parameters: { positions: array(integer), requisiteIds: array(uuid), dedupeKeys: array(text) },
  row: { position: integer, bookedAt: instant },
  text: `select input.position, known.booked_at
    from unnest(:positions, :requisiteIds, :dedupeKeys) as input (position, requisite_id, dedupe_key)
    cross join lateral (${byKey('transfers')}) as known`,
})

/** Notes as what rows were recorded. */
export const updateRows = query({
  name: 'update_statement_rows',
  parameters: {
    statementId: uuid,
    positions: array(integer),
    requisiteIds: array(uuid),
    transferIds: array(nullable(uuid)),
    repeated: array(boolean),
  },
  row: {},
  text: `update statement_rows
    set requisite_id = input.requisite_id, transfer_id = input.transfer_id, repeated = input.repeated
    from unnest(:positions, :requisiteIds, :transferIds, :repeated)
      as input (position, requisite_id, transfer_id, repeated)
    where statement_rows.statement_id = :statementId and statement_rows.position = input.position`,
})

/** A statement that is being undone. */
export const findUndoing = query({
  name: 'find_undoing_statement',
  parameters: {},
  row: { id: uuid },
  text: `select id from statements where state = 'undoing' order by id limit 1`,
})

/** All statements that are being imported, locked: whoever was just recording rows has ended. */
export const lockImporting = query({
  name: 'lock_importing_statements',
  parameters: {},
  row: { id: uuid },
  text: `select id from statements where state = 'importing' order by id for update`,
})

/** A statement that repeats one of these transfers, which another one has brought. */
export const findRepeating = query({
  name: 'find_repeating_statement',
  parameters: { statementId: uuid, requisiteIds: array(uuid), transferIds: array(uuid) },
  row: { id: uuid },
  text: `select others.statement_id as id
    from unnest(:requisiteIds, :transferIds) as brought (requisite_id, transfer_id)
      join statement_rows as others on others.requisite_id = brought.requisite_id
        and others.transfer_id = brought.transfer_id and others.statement_id <> :statementId
      join statements on statements.id = others.statement_id and statements.state in ('importing', 'imported', 'undoing')
    limit 1`,
})

/** The transfers that a statement brought, in sets in the order of its rows. */
export const listBrought = query({
  name: 'list_transfers_brought',
  parameters: { statementId: uuid, after: integer, limit: integer },
  row: { position: integer, kind: word<'booked' | 'reversal'>(), requisiteId: uuid, transferId: nullable(uuid) },
  text: `select position, kind, requisite_id, transfer_id from statement_rows
    where statement_id = :statementId and position > :after and not repeated order by position limit :limit`,
})

/** What became of the transfers that a statement brought. */
export const countOutcomes = query({
  name: 'count_statement_outcomes',
  parameters: { statementId: uuid },
  row: { outcome: text, kind: text, transfers: integer },
  text: `select parts.outcome, parts.kind, count(*)::integer as transfers from statement_rows
    join transfer_allocations as parts on parts.requisite_id = statement_rows.requisite_id
      and parts.transfer_id = statement_rows.transfer_id
    where statement_rows.statement_id = :statementId and statement_rows.kind = 'booked' and not statement_rows.repeated
      and parts.reversed_at is null
    group by parts.outcome, parts.kind
    union all
    select 'reversal', found.kind, count(*)::integer from statement_rows
    join transfer_reversals as reversals on reversals.requisite_id = statement_rows.requisite_id
      and reversals.dedupe_key = statement_rows.dedupe_key
    cross join lateral (select case when reversals.transfer_id is not null then 'returned'
        when reversals.resolved_at is null then 'open' else 'ignored' end) as found (kind)
    where statement_rows.statement_id = :statementId and statement_rows.kind = 'reversal' and not statement_rows.repeated
    group by found.kind
    order by 1, 2`,
})

import {
  array,
  bigint,
  boolean,
  byNameOnRequisite,
  columnsOf,
  instant,
  integer,
  jsonb,
  jsonbWithAmounts,
  nullable,
  query,
  table,
  text,
  uuid,
  word,
} from 'payin-database'
import { messageChannel } from '../../rules/transfers/channel.ts'
import type { Suggestion } from '../../rules/transfers/suggest.ts'
import type { Instant } from '../../rules/time.ts'
import type { PartKind } from '../../rules/transfers/transfer.ts'

export type TransferPart = {
  readonly kind: PartKind
  readonly amount: bigint
  /** What the bank has reversed of it without moving it; anything else that the bank reversed is a separate part. */
  readonly reversedAmount: bigint
  readonly merchantId: string | null
  readonly paymentId: string | null
  readonly outcome: string
  readonly reasons: readonly string[]
  /** `service`, or the operator who decided it. */
  readonly by: string
  /** When it was written, once it is. */
  readonly at?: Instant
  readonly note: string | null
}

/**
 * Whether a transfer has a current part that meets a condition. A range with a limit, because PostgreSQL would turn an
 * equality into a hash of all parts.
 */
export const hasPart = (condition: string, transfer = 'transfers'): string => `exists (select from (
      select parts.kind from transfer_parts as parts
      where parts.requisite_id = ${transfer}.requisite_id
        and parts.transfer_id between ${transfer}.id and ${transfer}.id
        and ${condition} and parts.replaced_at is null
      order by parts.requisite_id, parts.transfer_id limit 1) as own)`

/** The same for a part of such a kind, as in `= 'suspense'`. */
export const hasPartOfKind = (ofKind: string, transfer = 'transfers'): string =>
  hasPart(`parts.kind ${ofKind}`, transfer)

/** As `isUnconfirmed` in `transfer-parts.ts`. */
export const isUnconfirmed = (transfer: string): string =>
  `(${transfer}.second_person and (${transfer}.reported_alone_at = ${transfer}.recorded_at or ${transfer}.duplicate_of is not null)
      and not ${hasPartOfKind(`in ('payment', 'overpayment', 'reversed')`, transfer)})`

/** Whether the statement that brought a transfer is being withdrawn. */
export const beingWithdrawn = (transfer: string): string => `exists (select from statement_rows as brought
    join statements on statements.id = brought.statement_id
    where brought.requisite_id = ${transfer}.requisite_id and brought.transfer_id = ${transfer}.id
      and brought.kind = 'booked' and brought.added and statements.state = 'withdrawing')`

const transferKey = { requisiteId: uuid, id: uuid }

const reportedColumns = {
  ...transferKey,
  currency: text,
  amount: bigint,
  bookedAt: instant,
  /** The first moment of its day, if the bank reported no time. */
  earliestAt: nullable(instant),
  source: text,
  bankReference: nullable(text),
  senderMasked: text,
  senderNameMasked: nullable(text),
  /** The operator on whose word alone it stands. */
  reportedBy: nullable(text),
}

export const insertTransfers = query('insert_transfers', {
  parameters: { recordedAt: instant },
  rows: {
    ...reportedColumns,
    dedupeKey: text,
    senderSealed: nullable(text),
    senderIndex: nullable(text),
    textSealed: nullable(text),
    senderBank: nullable(text),
    senderNameSealed: nullable(text),
    channel: nullable(text),
    referenceKind: nullable(text),
    likeness: nullable(text),
  },
  row: { id: uuid },
  // Waits for another import that is writing the same transfer, and then finds that it exists.
  text: `insert into transfers (:columns, recorded_at, reported_alone_at, unproven)
    select :columns, :recordedAt, case when reported_by is not null then :recordedAt end,
      channel is not distinct from '${messageChannel}' from :rows
    order by requisite_id, dedupe_key
    on conflict (requisite_id, dedupe_key) do nothing
    returning id`,
})

export const insertParts = query('insert_transfer_parts', {
  parameters: { now: instant },
  rows: {
    ...{ requisiteId: uuid, transferId: uuid, number: integer },
    kind: word<PartKind>(),
    amount: bigint,
    reversedAmount: bigint,
    merchantId: nullable(uuid),
    paymentId: nullable(uuid),
    outcome: text,
    reasons: jsonb<readonly string[]>(),
    ...{ decidedBy: text, note: nullable(text) },
  },
  text: `insert into transfer_parts (:columns, decided_at) select :columns, :now from :rows`,
})

export const insertCases = table('suspense_cases', { openedAt: instant }).insertOfKey('insert_suspense_cases', {
  ...{ requisiteId: uuid, transferId: uuid, suggestions: jsonb<readonly Suggestion[]>() },
})

const transferColumns = {
  ...reportedColumns,
  /** Its day, such as `2026-01-31`, in the time zone of the account. */
  bookedOn: nullable(text),
  recordedAt: instant,
  /** Since when it stands on one word, and whether therefore another operator must decide about it. */
  reportedAloneAt: nullable(instant),
  secondPerson: boolean,
  /** As `isUnproven` in `duplicates/store.ts`. */
  unproven: boolean,
  duplicateOf: nullable(uuid),
  reversedAmount: bigint,
  /** When the bank booked the last reversal; `null` while a part of it is left. */
  reversedAt: nullable(instant),
  parts: jsonbWithAmounts<readonly TransferPart[]>(['amount', 'reversedAmount']),
  suggestions: nullable(jsonb<readonly Suggestion[]>()),
  parkedAt: nullable(instant),
  parkedBy: nullable(text),
  parkedBecause: nullable(text),
}

/** What the bank has reversed of a transfer. A range, so that no kept plan uses another index of the requisite. */
export const sumReversals = (
  transfer: string,
): string => `select coalesce(sum(each.amount), 0)::bigint as amount, max(each.booked_at) as last_at
      from transfer_reversals as each where each.requisite_id = ${transfer}.requisite_id
        and each.transfer_id between ${transfer}.id and ${transfer}.id`

const selected = (
  more = '',
): string => `select ${columnsOf(reportedColumns, 'transfers')}, case when transfers.earliest_at is not null then (
      select to_char(transfers.earliest_at at time zone 'UTC'
        + make_interval(mins => (limits ->> 'utcOffsetMinutes')::integer), 'YYYY-MM-DD')
      from requisites where requisites.id = transfers.requisite_id) end as booked_on,
    transfers.recorded_at, transfers.reported_alone_at, transfers.second_person,
    transfers.unproven, transfers.duplicate_of, reversed.amount as reversed_amount,
    case when reversed.amount = transfers.amount then reversed.last_at end as reversed_at, counting.parts,
    cases.suggestions, cases.parked_at, cases.parked_by, cases.parked_because${more}
  from transfers
  cross join lateral (${sumReversals('transfers')}) as reversed
  cross join lateral (
    select jsonb_agg(jsonb_build_object('kind', kind, 'amount', amount::text,
        'reversedAmount', reversed_amount::text, 'merchantId', merchant_id,
        'paymentId', payment_id, 'outcome', outcome, 'reasons', reasons, 'by', decided_by, 'at', (extract(epoch from decided_at) * 1000)::bigint,
        'note', note)
      order by number) as parts
    from transfer_parts as each
    where each.requisite_id = transfers.requisite_id and each.transfer_id = transfers.id and replaced_at is null
  ) as counting
  left join suspense_cases as cases
    on cases.requisite_id = transfers.requisite_id and cases.transfer_id = transfers.id and cases.resolved_at is null`

export const listTransfersByKey = query('list_transfers_by_key', {
  rows: { requisiteId: uuid, dedupeKey: text },
  row: { ...transferColumns, dedupeKey: text, channel: nullable(text) },
  text: `${selected(', transfers.dedupe_key, transfers.channel')}
    where (transfers.requisite_id, transfers.dedupe_key) in (select * from :rows)`,
})

export const findBeingWithdrawn = query('find_transfer_being_withdrawn', {
  rows: transferKey,
  row: { id: uuid },
  text: `select input.id from :rows
    where exists (select from statements where state = 'withdrawing') and ${beingWithdrawn('input')}
    limit 1`,
})

export const listTransfersById = query('list_transfers_by_id', {
  rows: transferKey,
  row: transferColumns,
  text: `${selected()} where (transfers.requisite_id, transfers.id) in (select * from :rows)`,
})

export const selectTransfer = query('find_transfer', {
  parameters: transferKey,
  row: { ...transferColumns, beingWithdrawn: boolean },
  text: `${selected(`, ${beingWithdrawn('transfers')} as being_withdrawn`)}
    where transfers.requisite_id = :requisiteId and transfers.id = :id`,
})

export const lockTransferRow = table('transfers', transferKey).lock('lock_transfer', { id: uuid })

export const listTransfersOf = query('list_transfers_of_payment', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: transferKey,
  text: `select requisite_id, transfer_id as id from transfer_parts
    where merchant_id = :merchantId and payment_id = :paymentId and kind = 'payment' and replaced_at is null
    order by decided_at desc, transfer_id desc`,
})

/** How much of a payment's money was booked after a time, whatever the moment of a bare day. */
export const sumBookedAfter = query('sum_booked_after', {
  parameters: { merchantId: uuid, paymentId: uuid, after: instant },
  row: { amount: bigint },
  text: `select coalesce(sum(parts.amount), 0)::bigint as amount from transfer_parts as parts
    join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
    where parts.merchant_id = :merchantId and parts.payment_id = :paymentId and parts.kind = 'payment'
      and parts.replaced_at is null and least(transfers.earliest_at, transfers.booked_at) > :after`,
})

/** A transfer of an amount that a bank reported, or one person within the bound, and that waits in the inbox. */
export const findWaitingAmount = query('find_waiting_amount', {
  parameters: { requisiteIds: array(uuid), amount: bigint, since: instant, byHand: text },
  row: { id: uuid },
  text: `select transfers.id from suspense_cases as cases
    join transfers on transfers.requisite_id = cases.requisite_id and transfers.id = cases.transfer_id
    join transfer_parts as parts on parts.requisite_id = cases.requisite_id and parts.transfer_id = cases.transfer_id
      and parts.kind = 'suspense' and parts.replaced_at is null
    where cases.requisite_id = any(:requisiteIds) and cases.resolved_at is null and parts.amount = :amount
      and transfers.booked_at >= :since and transfers.channel <> :byHand and not transfers.second_person limit 1`,
})

/** Ends the parts of a transfer, which become history, and returns their numbers: the last one is always among them. */
export const endParts = query('end_transfer_parts', {
  parameters: { requisiteId: uuid, transferId: uuid, now: instant },
  row: { number: integer },
  text: `update transfer_parts set replaced_at = :now
    where requisite_id = :requisiteId and transfer_id = :transferId and replaced_at is null returning number`,
})

export const resolveCase = query('resolve_suspense_case', {
  parameters: { requisiteId: uuid, transferId: uuid, now: instant },
  text: `update suspense_cases set resolved_at = :now
    where requisite_id = :requisiteId and transfer_id = :transferId and resolved_at is null`,
})

export const openCase = query('open_suspense_case', {
  parameters: { requisiteId: uuid, transferId: uuid, now: instant },
  text: `insert into suspense_cases (requisite_id, transfer_id, suggestions, opened_at)
    values (:requisiteId, :transferId, '[]', :now)
    on conflict (requisite_id, transfer_id)
      do update set resolved_at = null, parked_at = null, parked_by = null, parked_because = null`,
})

export const lockTransfers = query('lock_transfers', {
  rows: transferKey,
  row: { id: uuid },
  // Excludes every decision on them. It never waits, so two of them cannot deadlock.
  text: `select id from transfers where (requisite_id, id) in (select * from :rows)
    order by requisite_id, id for update skip locked`,
})

/** Those transfers that nobody has decided on: they wait whole in the inbox, or are certain duplicates. */
export const listUndecided = query('list_undecided_transfers', {
  rows: transferKey,
  row: { ...transferKey, currency: text, amount: bigint, isDuplicate: boolean, duplicateOf: nullable(uuid) },
  text: `select transfers.requisite_id, transfers.id, transfers.currency, transfers.amount,
      parts.kind = 'duplicate' as is_duplicate, transfers.duplicate_of
    from transfers
    join transfer_parts as parts on parts.requisite_id = transfers.requisite_id and parts.transfer_id = transfers.id
      and parts.replaced_at is null and parts.amount = transfers.amount
    left join suspense_cases as cases
      on cases.requisite_id = transfers.requisite_id and cases.transfer_id = transfers.id and cases.resolved_at is null
    where (transfers.requisite_id, transfers.id) in (select * from :rows)
      and (parts.kind = 'suspense' and cases.opened_at is not null
        or parts.kind = 'duplicate' and parts.decided_by = 'service')`,
})

export const withdrawParts = query('withdraw_transfer_parts', {
  parameters: { now: instant },
  rows: transferKey,
  text: `with input as (select * from :rows), parts as (
      update transfer_parts set kind = 'withdrawn' from input
      where transfer_parts.requisite_id = input.requisite_id
        and transfer_parts.transfer_id = input.id and transfer_parts.replaced_at is null
    ), keys as (
      update transfers set dedupe_key = 'withdrawn:' || transfers.id from input
      where transfers.requisite_id = input.requisite_id and transfers.id = input.id
    )
    update suspense_cases set resolved_at = :now from input
    where suspense_cases.requisite_id = input.requisite_id and suspense_cases.transfer_id = input.id
      and suspense_cases.resolved_at is null`,
})

export const findAnyTransfer = query('find_any_transfer', {
  parameters: { requisiteIds: array(uuid), leastId: uuid },
  row: { id: uuid },
  text: `select id from transfers
    where requisite_id = any(:requisiteIds) and id >= :leastId and dedupe_key not like 'withdrawn:%' limit 1`,
})

const bankRow = {
  requisiteId: uuid,
  id: uuid,
  currency: text,
  amount: bigint,
  bookedAt: instant,
  bankReference: nullable(text),
}

const ofMoney = (name: string, from: string) =>
  byNameOnRequisite(name, from, bankRow, `${from}.bank_reference = :typed`)

export const findByName = {
  transfers: ofMoney('find_transfers', 'transfers'),
  transfer_reversals: ofMoney('find_transfer_reversals', 'transfer_reversals'),
  outgoing_transfers: ofMoney('find_outgoing_transfers', 'outgoing_transfers'),
}

export const findReportedText = table('transfers', { requisiteId: uuid, id: uuid }).find('find_reported_text', {
  textSealed: nullable(text),
  senderSealed: nullable(text),
  senderNameSealed: nullable(text),
  senderBank: nullable(text),
  channel: nullable(text),
})

/** The newest texts of known senders on a requisite, without those that stand on the word of one person. */
export const listTexts = query('list_transfer_texts', {
  parameters: { requisiteId: uuid, limit: integer },
  row: { id: uuid, sender: nullable(text), textSealed: nullable(text) },
  text: `select id, coalesce(sender_index, nullif(sender_name_masked, '')) as sender, text_sealed from transfers
    where requisite_id = :requisiteId and text_sealed is not null and coalesce(sender_index, sender_name_masked, '') <> ''
      and reported_by is null and duplicate_of is null and dedupe_key not like 'withdrawn:%'
    order by id desc limit :limit`,
})

export const listStatementLines = query('list_statement_lines_of_transfer', {
  parameters: { requisiteId: uuid, id: uuid },
  row: { statementId: uuid, fileName: text, line: integer },
  text: `select statements.id as statement_id, statements.file_name, brought.line from statement_rows as brought
    join statements on statements.id = brought.statement_id
    where brought.requisite_id = :requisiteId and brought.transfer_id = :id and brought.kind = 'booked'
    order by statements.id, brought.position limit 20`,
})

export const listPartsOfPayment = query('list_parts_of_payment', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: {
    requisiteId: uuid,
    id: uuid,
    kind: word<PartKind>(),
    amount: bigint,
    outcome: text,
    decidedBy: text,
    note: nullable(text),
    bookedAt: instant,
    senderMasked: text,
    bankReference: nullable(text),
  },
  text: `select transfers.requisite_id, transfers.id, parts.kind, parts.amount, parts.outcome, parts.decided_by, parts.note,
      transfers.booked_at, transfers.sender_masked, transfers.bank_reference
    from transfer_parts as parts
    join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
    where parts.merchant_id = :merchantId and parts.payment_id = :paymentId and parts.replaced_at is null
    order by transfers.id limit 100`,
})

import {
  array,
  bigint,
  boolean,
  type Codec,
  instant,
  integer,
  jsonb,
  nullable,
  query,
  text,
  uuid,
  word,
} from '../database/query.ts'
import type { Suggestion } from '../domain/suggest.ts'

/** Kinds of a part of a transfer; `returned` has left the bank again, `repeated` is another transfer's money. */
export type AllocationKind = 'payment' | 'overpayment' | 'suspense' | 'ignored' | 'returned' | 'repeated'

/** Adds transfers that are new and returns their ids. */
export const insertTransfers = query({
  name: 'insert_transfers',
  parameters: {
    requisiteIds: array(uuid),
    ids: array(uuid),
    dedupeKeys: array(text),
    currencies: array(text),
    amounts: array(bigint),
    bookedAts: array(instant),
    sources: array(text),
    bankReferences: array(nullable(text)),
    sendersSealed: array(nullable(text)),
    sendersMasked: array(text),
    senderIndexes: array(nullable(text)),
    textsSealed: array(nullable(text)),
    senderBanks: array(nullable(text)),
    channels: array(nullable(text)),
    referenceKinds: array(nullable(text)),
    recordedAt: instant,
  },
  row: { id: uuid },
  // A transfer that another import is writing is waited for, and then found to exist.
  text: `insert into transfers (requisite_id, id, dedupe_key, currency, amount, booked_at, source, bank_reference,
      sender_sealed, sender_masked, sender_index, text_sealed, sender_bank, channel, reference_kind, recorded_at)
    select requisite_id, id, dedupe_key, currency, amount, booked_at, source, bank_reference, sender_sealed,
      sender_masked, sender_index, text_sealed, sender_bank, channel, reference_kind, :recordedAt
    from unnest(:requisiteIds, :ids, :dedupeKeys, :currencies, :amounts, :bookedAts, :sources, :bankReferences,
        :sendersSealed, :sendersMasked, :senderIndexes, :textsSealed, :senderBanks,
        :channels, :referenceKinds)
      as input (requisite_id, id, dedupe_key, currency, amount, booked_at, source, bank_reference, sender_sealed,
        sender_masked, sender_index, text_sealed, sender_bank, channel, reference_kind)
    order by requisite_id, dedupe_key
    on conflict (requisite_id, dedupe_key) do nothing
    returning id`,
})

/** Says where the money of transfers went. */
export const insertAllocations = query({
  name: 'insert_transfer_allocations',
  parameters: {
    requisiteIds: array(uuid),
    transferIds: array(uuid),
    kinds: array(word<AllocationKind>()),
    amounts: array(bigint),
    merchantIds: array(nullable(uuid)),
    paymentIds: array(nullable(uuid)),
    outcomes: array(text),
    reasons: array(jsonb<readonly string[]>()),
    now: instant,
  },
  row: {},
  text: `insert into transfer_allocations (requisite_id, transfer_id, part, kind, amount, merchant_id, payment_id,
      outcome, reasons, allocated_at)
    select requisite_id, transfer_id, 1, kind, amount, merchant_id, payment_id, outcome, reasons, :now
    from unnest(:requisiteIds, :transferIds, :kinds, :amounts, :merchantIds, :paymentIds, :outcomes, :reasons)
      as input (requisite_id, transfer_id, kind, amount, merchant_id, payment_id, outcome, reasons)`,
})

/** Opens cases for transfers that nobody claims. */
export const insertCases = query({
  name: 'insert_suspense_cases',
  parameters: {
    requisiteIds: array(uuid),
    transferIds: array(uuid),
    outcomes: array(text),
    suggestions: array(jsonb<readonly Suggestion[]>()),
    now: instant,
  },
  row: {},
  text: `insert into suspense_cases (requisite_id, transfer_id, outcome, suggestions, opened_at)
    select requisite_id, transfer_id, outcome, suggestions, :now
    from unnest(:requisiteIds, :transferIds, :outcomes, :suggestions)
      as input (requisite_id, transfer_id, outcome, suggestions)`,
})

/** A part of a transfer: where it went, and why. */
export type TransferPart = {
  readonly kind: AllocationKind
  readonly amount: bigint
  readonly merchantId: string | null
  readonly paymentId: string | null
  readonly outcome: string
  readonly reasons: readonly string[]
  /** `service`, or the operator who decided it. */
  readonly by: string
  readonly note: string | null
}

const parts: Codec<readonly TransferPart[]> = {
  ...jsonb<readonly TransferPart[]>(),
  decode: (value) =>
    (JSON.parse(value ?? '[]') as (Omit<TransferPart, 'amount'> & { readonly amount: string })[]).map((part) => ({
      ...part,
      amount: BigInt(part.amount),
    })),
}

const transferColumns = {
  requisiteId: uuid,
  id: uuid,
  currency: text,
  amount: bigint,
  bookedAt: instant,
  source: text,
  bankReference: nullable(text),
  senderMasked: text,
  recordedAt: instant,
  /** The transfer of another channel that it may be. */
  repeatOf: nullable(uuid),
  /** When the bank booked that it took the transfer back. */
  reversedAt: nullable(instant),
  parts,
  suggestions: nullable(jsonb<readonly Suggestion[]>()),
}

const transferSelect = `select transfers.requisite_id, transfers.id, transfers.currency, transfers.amount,
    transfers.booked_at, transfers.source, transfers.bank_reference, transfers.sender_masked, transfers.recorded_at,
    transfers.repeat_of, reversals.booked_at as reversed_at, allocations.parts, cases.suggestions
  from transfers
  left join transfer_reversals as reversals
    on reversals.requisite_id = transfers.requisite_id and reversals.transfer_id = transfers.id
  cross join lateral (
    select jsonb_agg(jsonb_build_object('kind', kind, 'amount', amount::text, 'merchantId', merchant_id,
        'paymentId', payment_id, 'outcome', outcome, 'reasons', reasons, 'by', allocated_by, 'note', note)
      order by part) as parts
    from transfer_allocations as each
    where each.requisite_id = transfers.requisite_id and each.transfer_id = transfers.id and reversed_at is null
  ) as allocations
  left join suspense_cases as cases
    on cases.requisite_id = transfers.requisite_id and cases.transfer_id = transfers.id and cases.resolved_at is null`

/** Whether the statement that brought a transfer is being undone. */
const undoing = (of: string): string => `exists (select from statement_rows as brought
    join statements on statements.id = brought.statement_id
    where brought.requisite_id = ${of}.requisite_id and brought.transfer_id = ${of}.id
      and brought.kind = 'booked' and brought.added and statements.state = 'withdrawing')`

/** Who sent a transfer, as far as the bank told. */
export const findSender = query({
  name: 'find_transfer_sender',
  parameters: { requisiteId: uuid, id: uuid },
  row: { senderSealed: nullable(text), senderIndex: nullable(text) },
  text: `select sender_sealed, sender_index from transfers where requisite_id = :requisiteId and id = :id`,
})

/** Transfers by their dedupe keys, with what was decided. */
export const listTransfersByKey = query({
  name: 'list_transfers_by_key',
  parameters: { requisiteIds: array(uuid), dedupeKeys: array(text) },
  row: { ...transferColumns, dedupeKey: text, channel: nullable(text) },
  text: `${transferSelect.replace('cases.suggestions', 'cases.suggestions, transfers.dedupe_key, transfers.channel')}
    where (transfers.requisite_id, transfers.dedupe_key) in (select * from unnest(:requisiteIds, :dedupeKeys))`,
})

/** One of some transfers whose statement is being undone. */
export const findUndone = query({
  name: 'find_transfer_being_undone',
  parameters: { requisiteIds: array(uuid), transferIds: array(uuid) },
  row: { id: uuid },
  text: `select input.id from unnest(:requisiteIds, :transferIds) as input (requisite_id, id)
    where exists (select from statements where state = 'withdrawing')
      and ${undoing('input')}
    limit 1`,
})

/** A page of transfers, or of those that wait in the inbox, the newest first. */
export const listTransfers = query({
  name: 'list_transfers',
  planned: 'each-time',
  parameters: { unmatched: boolean, before: nullable(uuid), limit: integer },
  row: transferColumns,
  // Requisite by requisite, so that the primary key gives the newest ones; the inbox has few rows and its own index.
  text: `with page as (
      (select newest.requisite_id, newest.id from requisites cross join lateral (
          select requisite_id, id from transfers
          where transfers.requisite_id = requisites.id and (:before is null or id < :before)
          order by id desc limit :limit
        ) as newest where not :unmatched order by newest.id desc limit :limit)
      union all
      (select requisite_id, transfer_id from suspense_cases
        where :unmatched and resolved_at is null and (:before is null or transfer_id < :before)
        order by transfer_id desc limit :limit)
    )
    ${transferSelect} join page on page.requisite_id = transfers.requisite_id and page.id = transfers.id
    order by transfers.id desc`,
})

/** One transfer. */
export const findTransfer = query({
  name: 'find_transfer',
  parameters: { requisiteId: uuid, id: uuid },
  row: { ...transferColumns, undoing: boolean },
  text: `${transferSelect.replace('cases.suggestions', `cases.suggestions, ${undoing('transfers')} as undoing`)}
    where transfers.requisite_id = :requisiteId and transfers.id = :id`,
})

/** A transfer with its parts that count, locked against every other decision about it. */
export const lockTransfer = query({
  name: 'lock_transfer',
  parameters: { requisiteId: uuid, id: uuid },
  row: { id: uuid },
  text: `select id from transfers where requisite_id = :requisiteId and id = :id for update`,
})

/** Transfers that have given a payment money, the latest first. */
export const listTransfersOf = query({
  name: 'list_transfers_of_payment',
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { requisiteId: uuid, transferId: uuid },
  text: `select requisite_id, transfer_id from transfer_allocations
    where merchant_id = :merchantId and payment_id = :paymentId and kind = 'payment' and reversed_at is null
    order by allocated_at desc, transfer_id desc`,
})

/** Takes back the parts of a transfer that count. */
export const reverseAllocations = query({
  name: 'reverse_transfer_allocations',
  parameters: { requisiteId: uuid, transferId: uuid, now: instant },
  row: {},
  text: `update transfer_allocations set reversed_at = :now
    where requisite_id = :requisiteId and transfer_id = :transferId and reversed_at is null`,
})

/** Adds parts to a transfer after those that it has or had. */
export const addAllocations = query({
  name: 'add_transfer_allocations',
  parameters: {
    requisiteId: uuid,
    transferId: uuid,
    kinds: array(word<AllocationKind>()),
    amounts: array(bigint),
    merchantIds: array(nullable(uuid)),
    paymentIds: array(nullable(uuid)),
    outcomes: array(text),
    reasons: array(jsonb<readonly string[]>()),
    by: array(text),
    notes: array(nullable(text)),
    now: instant,
  },
  row: {},
  text: `insert into transfer_allocations (requisite_id, transfer_id, part, kind, amount, merchant_id, payment_id,
      outcome, reasons, allocated_by, note, allocated_at)
    select :requisiteId, :transferId, former.parts + input.place, kind, amount, merchant_id, payment_id, outcome, reasons,
      allocated_by, note, :now
    from unnest(:kinds, :amounts, :merchantIds, :paymentIds, :outcomes, :reasons, :by, :notes) with ordinality
        as input (kind, amount, merchant_id, payment_id, outcome, reasons, allocated_by, note, place)
      cross join (select coalesce(max(part), 0) as parts from transfer_allocations
        where requisite_id = :requisiteId and transfer_id = :transferId) as former`,
})

/** Ends the open case of a transfer; `resolution` is `null` where nobody has decided it. */
export const resolveCase = query({
  name: 'resolve_suspense_case',
  parameters: {
    requisiteId: uuid,
    transferId: uuid,
    resolution: nullable(text),
    by: text,
    note: nullable(text),
    now: instant,
  },
  row: {},
  text: `update suspense_cases set resolved_at = :now, resolution = :resolution, resolved_by = :by, note = :note
    where requisite_id = :requisiteId and transfer_id = :transferId and resolved_at is null`,
})

/** Opens the case of a transfer, again where it had one. */
export const reopenCase = query({
  name: 'reopen_suspense_case',
  parameters: { requisiteId: uuid, transferId: uuid, note: nullable(text), now: instant },
  row: {},
  text: `insert into suspense_cases (requisite_id, transfer_id, outcome, suggestions, note, opened_at)
    values (:requisiteId, :transferId, 'undone', '[]', :note, :now)
    on conflict (requisite_id, transfer_id) do update set resolved_at = null, resolution = null, resolved_by = null,
      note = excluded.note`,
})

/** Transfers to requisites that the bank booked in a span, the first ones. */
export const listPastTransfers = query({
  name: 'list_past_transfers',
  parameters: { requisiteIds: array(uuid), since: instant, until: instant, limit: integer },
  row: {
    requisiteId: uuid,
    id: uuid,
    currency: text,
    amount: bigint,
    bookedAt: instant,
    senderIndex: nullable(text),
  },
  text: `select requisite_id, id, currency, amount, booked_at, sender_index from transfers
    where requisite_id = any(:requisiteIds) and booked_at between :since and :until
      and dedupe_key not like 'returned:%'
      and not (repeat_of is not null and exists (select from (select parts.kind from transfer_allocations as parts
          where parts.requisite_id = transfers.requisite_id and parts.transfer_id between transfers.id and transfers.id
            and parts.kind in ('suspense', 'repeated') and parts.reversed_at is null
          order by parts.requisite_id, parts.transfer_id limit 1) as own))
    order by booked_at, id limit :limit`,
})

const transferKeys = { requisiteIds: array(uuid), transferIds: array(uuid) }

/** Locks those transfers that nobody else has locked. */
export const lockTransfers = query({
  name: 'lock_transfers',
  parameters: transferKeys,
  row: { id: uuid },
  // Excludes every decision on them. It waits for none, so that it is never one of two that wait for each other.
  text: `select id from transfers where (requisite_id, id) in (select * from unnest(:requisiteIds, :transferIds))
    order by requisite_id, id for update skip locked`,
})

/** Those transfers on which nothing was decided. */
export const listUndecided = query({
  name: 'list_undecided_transfers',
  parameters: transferKeys,
  row: { requisiteId: uuid, id: uuid, currency: text, amount: bigint },
  text: `select transfers.requisite_id, transfers.id, transfers.currency, transfers.amount from transfers
    join suspense_cases as cases on cases.requisite_id = transfers.requisite_id and cases.transfer_id = transfers.id
    where (transfers.requisite_id, transfers.id) in (select * from unnest(:requisiteIds, :transferIds))
      and cases.resolved_at is null and not exists (
        select from transfer_allocations as parts where parts.requisite_id = transfers.requisite_id
          and parts.transfer_id = transfers.id and parts.kind <> 'suspense' and parts.reversed_at is null)`,
})

/** Takes transfers on which nothing was decided out of the inbox, so that they may be reported anew. */
export const returnAllocations = query({
  name: 'return_transfer_allocations',
  parameters: { ...transferKeys, now: instant },
  row: {},
  text: `with input as (select * from unnest(:requisiteIds, :transferIds) as input (requisite_id, transfer_id)),
    parts as (
      update transfer_allocations set kind = 'returned' from input
      where transfer_allocations.requisite_id = input.requisite_id
        and transfer_allocations.transfer_id = input.transfer_id and transfer_allocations.reversed_at is null
    ), keys as (
      update transfers set dedupe_key = 'returned:' || transfers.id from input
      where transfers.requisite_id = input.requisite_id and transfers.id = input.transfer_id
    )
    update suspense_cases set resolved_at = :now from input
    where suspense_cases.requisite_id = input.requisite_id and suspense_cases.transfer_id = input.transfer_id
      and suspense_cases.resolved_at is null`,
})

/** A transfer to one of the requisites with that id or a later one, if there is any whose import was not undone. */
export const findAnyTransfer = query({
  name: 'find_any_transfer',
  parameters: { requisiteIds: array(uuid), leastId: uuid },
  row: { id: uuid },
  text: `select id from transfers
    where requisite_id = any(:requisiteIds) and id >= :leastId and dedupe_key not like 'returned:%' limit 1`,
})

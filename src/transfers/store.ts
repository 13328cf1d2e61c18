import {
  array,
  bigint,
  boolean,
  instant,
  integer,
  jsonb,
  nullable,
  statement,
  text,
  uuid,
  word,
} from '../database/statement.ts'
import type { Suggestion } from '../domain/match.ts'

/** Kinds of a part of a transfer. */
export type AllocationKind = 'payment' | 'overpayment' | 'suspense'

/** Adds transfers that are new and returns their ids. */
export const insertTransfers = statement({
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
    recordedAt: instant,
  },
  row: { id: uuid },
  // A transfer that another import is writing is waited for, and then found to exist.
  text: `insert into transfers (requisite_id, id, dedupe_key, currency, amount, booked_at, source, bank_reference,
      sender_sealed, sender_masked, sender_index, recorded_at)
    select requisite_id, id, dedupe_key, currency, amount, booked_at, source, bank_reference, sender_sealed,
      sender_masked, sender_index, :recordedAt
    from unnest(:requisiteIds, :ids, :dedupeKeys, :currencies, :amounts, :bookedAts, :sources, :bankReferences,
        :sendersSealed, :sendersMasked, :senderIndexes)
      as input (requisite_id, id, dedupe_key, currency, amount, booked_at, source, bank_reference, sender_sealed,
        sender_masked, sender_index)
    order by requisite_id, dedupe_key
    on conflict (requisite_id, dedupe_key) do nothing
    returning id`,
})

/** Says where the money of transfers went. */
export const insertAllocations = statement({
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
export const insertCases = statement({
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
  kind: word<AllocationKind>(),
  merchantId: nullable(uuid),
  paymentId: nullable(uuid),
  outcome: text,
  reasons: jsonb<readonly string[]>(),
  suggestions: nullable(jsonb<readonly Suggestion[]>()),
}

const transferSelect = `select transfers.requisite_id, transfers.id, transfers.currency, transfers.amount,
    transfers.booked_at, transfers.source, transfers.bank_reference, transfers.sender_masked, transfers.recorded_at,
    allocations.kind, allocations.merchant_id, allocations.payment_id, allocations.outcome, allocations.reasons,
    cases.suggestions
  from transfers
  join transfer_allocations as allocations
    on allocations.requisite_id = transfers.requisite_id and allocations.transfer_id = transfers.id
  left join suspense_cases as cases
    on cases.requisite_id = transfers.requisite_id and cases.transfer_id = transfers.id and cases.resolved_at is null`

/** Transfers by their dedupe keys, with what was decided. */
export const listTransfersByKey = statement({
  name: 'list_transfers_by_key',
  parameters: { requisiteIds: array(uuid), dedupeKeys: array(text) },
  row: { ...transferColumns, dedupeKey: text },
  text: `${transferSelect.replace('cases.suggestions', 'cases.suggestions, transfers.dedupe_key')}
    where (transfers.requisite_id, transfers.dedupe_key) in (select * from unnest(:requisiteIds, :dedupeKeys))`,
})

/** A page of transfers, or of those that wait in the inbox, the newest first. */
export const listTransfers = statement({
  name: 'list_transfers',
  planned: 'anew',
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

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
import type { ReversalEffect } from '../domain/correction.ts'
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

const partRow = {
  requisiteId: uuid,
  transferId: uuid,
  part: integer,
  kind: word<AllocationKind>(),
  currency: text,
  amount: bigint,
  merchantId: nullable(uuid),
  paymentId: nullable(uuid),
}

/** A part of a transfer, by where its money went. */
export type TransferPart = {
  readonly requisiteId: string
  readonly transferId: string
  readonly part: number
  readonly kind: AllocationKind
  readonly currency: string
  readonly amount: bigint
  readonly merchantId: string | null
  readonly paymentId: string | null
}

/** Locks a transfer and its parts. */
export const lockTransferParts = statement({
  name: 'lock_transfer_parts',
  parameters: { requisiteId: uuid, transferId: uuid },
  row: partRow,
  // Excludes another reversal of the transfer and another decision about its parts.
  text: `select parts.requisite_id, parts.transfer_id, parts.part, parts.kind, transfers.currency, parts.amount,
      parts.merchant_id, parts.payment_id
    from transfers join transfer_allocations as parts
      on parts.requisite_id = transfers.requisite_id and parts.transfer_id = transfers.id
    where transfers.requisite_id = :requisiteId and transfers.id = :transferId
    order by parts.part for update`,
})

const reversalRow = {
  id: uuid,
  part: integer,
  effect: word<ReversalEffect>(),
  currency: text,
  amount: bigint,
  merchantId: nullable(uuid),
  paymentId: nullable(uuid),
}

/** What the reversal of a transfer did, part by part. */
export const listReversals = statement({
  name: 'list_transfer_reversals',
  parameters: { requisiteId: uuid, transferId: uuid },
  row: reversalRow,
  text: `select id, part, effect, currency, amount, merchant_id, payment_id from transfer_reversals
    where requisite_id = :requisiteId and transfer_id = :transferId order by part`,
})

/** Adds the reversal of a part. */
export const insertReversal = statement({
  name: 'insert_transfer_reversal',
  parameters: {
    requisiteId: uuid,
    transferId: uuid,
    ...reversalRow,
    reason: text,
    bookedAt: instant,
    recordedBy: text,
    recordedAt: instant,
  },
  row: {},
  text: `insert into transfer_reversals (requisite_id, transfer_id, id, part, effect, currency, amount, merchant_id,
      payment_id, reason, booked_at, recorded_by, recorded_at)
    values (:requisiteId, :transferId, :id, :part, :effect, :currency, :amount, :merchantId, :paymentId, :reason, :bookedAt,
      :recordedBy, :recordedAt)`,
})

/** Credited money of a payment that banks have taken back so far. */
export const sumReversedCredits = statement({
  name: 'sum_reversed_credits',
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { amount: bigint },
  text: `select coalesce(sum(amount), 0)::bigint as amount from transfer_reversals
    where merchant_id = :merchantId and payment_id = :paymentId and effect = 'credit'`,
})

/** Closes the case of a transfer that needs no decision any more. */
export const resolveCase = statement({
  name: 'resolve_suspense_case',
  parameters: { requisiteId: uuid, transferId: uuid, now: instant },
  row: {},
  text: `update suspense_cases set resolved_at = :now
    where requisite_id = :requisiteId and transfer_id = :transferId and resolved_at is null`,
})

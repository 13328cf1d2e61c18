import { array, bigint, boolean, instant, integer, jsonb, nullable, query, text, uuid } from '../../database/query.ts'

/** Adds reversals that are new and returns their ids. */
export const insertReversals = query({
  name: 'insert_transfer_reversals',
  parameters: {
    requisiteIds: array(uuid),
    ids: array(uuid),
    dedupeKeys: array(text),
    currencies: array(text),
    amounts: array(bigint),
    bookedAts: array(instant),
    sources: array(text),
    bankReferences: array(nullable(text)),
    sendersMasked: array(text),
    channels: array(nullable(text)),
    referenceKinds: array(nullable(text)),
    recordedAt: instant,
  },
  row: { id: uuid },
  text: `insert into transfer_reversals (requisite_id, id, dedupe_key, currency, amount, booked_at, source, bank_reference,
      sender_masked, channel, reference_kind, recorded_at)
    select requisite_id, id, dedupe_key, currency, amount, booked_at, source, bank_reference, sender_masked, channel,
      reference_kind, :recordedAt
    from unnest(:requisiteIds, :ids, :dedupeKeys, :currencies, :amounts, :bookedAts, :sources, :bankReferences,
        :sendersMasked, :channels, :referenceKinds)
      as input (requisite_id, id, dedupe_key, currency, amount, booked_at, source, bank_reference, sender_masked, channel,
        reference_kind)
    order by requisite_id, dedupe_key
    on conflict (requisite_id, dedupe_key) do nothing
    returning id`,
})

/** What reversals with these keys took back. */
export const listReversalsByKey = query({
  name: 'list_transfer_reversals_by_key',
  parameters: { requisiteIds: array(uuid), dedupeKeys: array(text) },
  row: { requisiteId: uuid, dedupeKey: text, transferId: nullable(uuid) },
  text: `select requisite_id, dedupe_key, transfer_id from transfer_reversals
    where (requisite_id, dedupe_key) in (select * from unnest(:requisiteIds, :dedupeKeys))`,
})

/** Whether a transfer has a part, not taken back since, of such a kind. */
// A range with a limit, because an equality becomes a hash of all parts that there are.
const hasPart = (ofKind: string, of = 'transfers'): string => `exists (select from (
          select parts.kind from transfer_allocations as parts
          where parts.requisite_id = ${of}.requisite_id and parts.transfer_id between ${of}.id and ${of}.id
            and parts.kind ${ofKind} and parts.reversed_at is null
          order by parts.requisite_id, parts.transfer_id limit 1) as own)`

// Excludes another reversal of the same transfer. What an operator has announced, its bank may still report; what is
// just taken back with the statement that brought it is as good as gone.
const reversible = (which: string): string => `select transfers.id, transfers.amount, sender_index,
      reversals.id as announced_id,
      case when not ${hasPart(`not in ('suspense', 'repeated')`)} then transfers.repeat_of end as repeat_of,
      ${hasPart(`= 'repeated'`)} as repeats,
      exists (select from (select twins.id from transfers as twins
          where twins.requisite_id = transfers.requisite_id and twins.repeat_of between transfers.id and transfers.id
            and not ${hasPart(`<> 'suspense'`, 'twins')}
          order by twins.requisite_id, twins.repeat_of limit 1) as undecided) as has_twin
    from transfers
    left join transfer_reversals as reversals
      on reversals.requisite_id = transfers.requisite_id and reversals.transfer_id = transfers.id
    where transfers.requisite_id = :requisiteId and ${which} and transfers.dedupe_key not like 'returned:%'
      and (reversals.id is null or reversals.dedupe_key = 'operator:' || transfers.id)
      and not exists (select from statement_rows as brought join statements on statements.id = brought.statement_id
        where brought.requisite_id = transfers.requisite_id and brought.transfer_id = transfers.id
          and brought.kind = 'booked' and brought.added and statements.state = 'withdrawing')`

const reversibleRow = {
  id: uuid,
  amount: bigint,
  senderIndex: nullable(text),
  announcedId: nullable(uuid),
  /** The transfer of another channel that it may still be, and whether that was said to be so. */
  repeatOf: nullable(uuid),
  repeats: boolean,
  /** Whether a transfer of another channel may be this one, and nobody has said yet. */
  hasTwin: boolean,
}

/**
 * A transfer, unless its bank has reported that it was taken back. To be read behind its lock, in a statement of its own:
 * one that has waited for a lock tells of reversals and parts what they were before.
 */
export const findReversible = query({
  name: 'find_reversible_transfer',
  parameters: { requisiteId: uuid, id: uuid },
  row: reversibleRow,
  text: reversible('transfers.id = :id'),
})

/** A transfer, locked against every decision about it. */
export const lockById = query({
  name: 'lock_transfer_to_reverse',
  parameters: { requisiteId: uuid, id: uuid },
  row: { id: uuid },
  text: `select id from transfers where requisite_id = :requisiteId and id = :id for update`,
})

/** The transfer with a dedupe key, locked against every decision about it. */
export const lockByKey = query({
  name: 'lock_transfer_to_reverse_by_key',
  parameters: { requisiteId: uuid, dedupeKey: text },
  row: { id: uuid },
  // A range in its order, so that no kept plan takes another index that begins with the requisite.
  text: `select id from transfers
    where requisite_id = :requisiteId and dedupe_key between :dedupeKey and :dedupeKey
    order by requisite_id, dedupe_key limit 1 for update`,
})

/**
 * Transfers of an amount in a span that no bank has reported as taken back yet, locked: of its sender, where one is told
 * and has any, else those whose sender nobody knows; of all senders where none is told. Of several the first two, those
 * that an operator has announced before others. None that was said to be another transfer's money, or that the channel
 * `otherThan` has told of under a reference.
 */
export const lockReversible = query({
  name: 'lock_reversible_transfers',
  parameters: {
    requisiteId: uuid,
    amount: bigint,
    senderIndex: nullable(text),
    otherThan: nullable(text),
    since: instant,
    until: instant,
  },
  row: reversibleRow,
  text: `${reversible(`transfers.amount = :amount and transfers.booked_at between :since and :until
      and (:otherThan is null or transfers.channel is distinct from :otherThan or transfers.bank_reference is null)
      and (:senderIndex is null or sender_index is null or sender_index = :senderIndex) and not ${hasPart(`= 'repeated'`)}`)}
    order by coalesce(sender_index = :senderIndex, false) desc, reversals.id is not null desc, transfers.booked_at desc,
      transfers.id desc
    limit 2 for update of transfers`,
})

/** Reversals of an amount that other channels have told of in a span, and that took something back. */
export const listReversedElsewhere = query({
  name: 'list_reversals_told_elsewhere',
  parameters: { requisiteId: uuid, amount: bigint, channel: text, since: instant, until: instant },
  row: {
    requisiteId: uuid,
    amount: bigint,
    bookedAt: instant,
    senderMasked: text,
    bankReference: nullable(text),
    referenceKind: nullable(text),
  },
  text: `select requisite_id, amount, booked_at, sender_masked, bank_reference, reference_kind from transfer_reversals
    where requisite_id = :requisiteId and amount = :amount and channel is distinct from :channel
      and booked_at between :since and :until and transfer_id is not null and dedupe_key not like 'operator:%'`,
})

/** Names the transfer that a reversal took back. */
export const setReversed = query({
  name: 'set_reversed_transfer',
  parameters: { requisiteId: uuid, id: uuid, transferId: uuid },
  row: {},
  text: `update transfer_reversals set transfer_id = :transferId where requisite_id = :requisiteId and id = :id`,
})

/** Removes a reversal that is one which an operator has announced. */
export const deleteReversal = query({
  name: 'delete_transfer_reversal',
  parameters: { requisiteId: uuid, id: uuid },
  row: {},
  text: `delete from transfer_reversals where requisite_id = :requisiteId and id = :id`,
})

/** Gives a reversal that an operator has announced what its bank tells of it. */
export const confirmReversal = query({
  name: 'confirm_transfer_reversal',
  parameters: {
    requisiteId: uuid,
    id: uuid,
    dedupeKey: text,
    source: text,
    bookedAt: instant,
    bankReference: nullable(text),
    senderMasked: text,
    channel: nullable(text),
    referenceKind: nullable(text),
  },
  row: {},
  text: `update transfer_reversals set dedupe_key = :dedupeKey, source = :source, booked_at = :bookedAt,
      bank_reference = :bankReference, sender_masked = :senderMasked, channel = :channel, reference_kind = :referenceKind
    where requisite_id = :requisiteId and id = :id`,
})

/** A page of reversals of which nobody knows what they took back, the newest first, with transfers that they may mean. */
export const listOpenReversals = query({
  name: 'list_open_transfer_reversals',
  planned: 'each-time',
  parameters: { before: nullable(uuid), limit: integer },
  row: {
    requisiteId: uuid,
    id: uuid,
    currency: text,
    amount: bigint,
    bookedAt: instant,
    source: text,
    bankReference: nullable(text),
    senderMasked: text,
    recordedAt: instant,
    candidates: jsonb<readonly string[]>(),
  },
  text: `select requisite_id, id, currency, amount, booked_at, source, bank_reference, sender_masked, recorded_at,
      coalesce((select jsonb_agg(found.id order by found.id desc) from (
        select transfers.id from transfers
        where transfers.requisite_id = reversals.requisite_id and transfers.amount = reversals.amount
          and transfers.dedupe_key not like 'returned:%'
          and not exists (select from (select parts.kind from transfer_allocations as parts
          where parts.requisite_id = transfers.requisite_id and parts.transfer_id between transfers.id and transfers.id
            and parts.kind = 'repeated' and parts.reversed_at is null
          order by parts.requisite_id, parts.transfer_id limit 1) as own)
          and not exists (select from transfer_reversals as others
            where others.requisite_id = transfers.requisite_id and others.transfer_id = transfers.id
              and others.dedupe_key <> 'operator:' || transfers.id)
        order by transfers.booked_at desc limit 20) as found), '[]') as candidates
    from transfer_reversals as reversals
    where transfer_id is null and resolved_at is null and (:before is null or id < :before) order by id desc limit :limit`,
})

/**
 * Reversals that wait although the transfer that their reference names has come by now, the oldest first; see `dedupeKey`
 * for how a transfer is named.
 */
export const listEarlyReversals = query({
  name: 'list_early_transfer_reversals',
  parameters: { limit: integer },
  row: { requisiteId: uuid, id: uuid, transferId: uuid },
  // A range in its order, so that no kept plan takes another index that begins with the requisite.
  text: `select early.requisite_id, early.id, named.id as transfer_id from transfer_reversals as early
    cross join lateral (
      select each.requisite_id, each.id from transfers as each where each.requisite_id = early.requisite_id
        and each.dedupe_key between 'ref:' || early.amount || ':' || early.bank_reference
          and 'ref:' || early.amount || ':' || early.bank_reference
      order by each.requisite_id, each.dedupe_key limit 1
    ) as named
    where early.transfer_id is null and early.resolved_at is null and early.bank_reference is not null
      and not exists (select from transfer_reversals as others
        where others.requisite_id = named.requisite_id and others.transfer_id = named.id)
      and not ${hasPart(`= 'repeated'`, 'named')}
    order by early.id limit :limit`,
})

/** A reversal that waits for a decision, locked against every other one. */
export const lockOpenReversal = query({
  name: 'lock_open_transfer_reversal',
  parameters: { requisiteId: uuid, id: uuid },
  row: {
    currency: text,
    amount: bigint,
    dedupeKey: text,
    source: text,
    bookedAt: instant,
    bankReference: nullable(text),
    senderMasked: text,
    channel: nullable(text),
    referenceKind: nullable(text),
  },
  text: `select currency, amount, dedupe_key, source, booked_at, bank_reference, sender_masked, channel, reference_kind
    from transfer_reversals
    where requisite_id = :requisiteId and id = :id and transfer_id is null and resolved_at is null for update`,
})

/** Ends the case of a reversal, with the transfer that it took back where there is one. */
export const resolveReversal = query({
  name: 'resolve_transfer_reversal',
  parameters: {
    requisiteId: uuid,
    id: uuid,
    transferId: nullable(uuid),
    by: text,
    note: nullable(text),
    now: instant,
  },
  row: {},
  text: `update transfer_reversals
    set transfer_id = :transferId, resolved_at = :now, resolved_by = :by, note = :note
    where requisite_id = :requisiteId and id = :id`,
})

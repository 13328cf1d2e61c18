import { array, bigint, boolean, instant, integer, jsonb, nullable, query, table, text, uuid } from 'payin-database'
import { beingWithdrawn, hasPartOfKind, isUnconfirmed, sumReversals } from '../store.ts'

const key = { requisiteId: uuid, id: uuid }

const reportColumns = {
  dedupeKey: text,
  source: text,
  bookedAt: instant,
  bankReference: nullable(text),
  senderMasked: text,
  channel: nullable(text),
  referenceKind: nullable(text),
}

export const insertReversals = query('insert_transfer_reversals', {
  parameters: { recordedAt: instant },
  rows: { ...key, currency: text, amount: bigint, ...reportColumns },
  row: { id: uuid },
  text: `insert into transfer_reversals (:columns, recorded_at) select :columns, :recordedAt from :rows
    order by requisite_id, dedupe_key
    on conflict (requisite_id, dedupe_key) do nothing
    returning id`,
})

export const listReversalsByKey = query('list_transfer_reversals_by_key', {
  rows: { requisiteId: uuid, dedupeKey: text },
  row: {
    ...{ requisiteId: uuid, dedupeKey: text, transferId: nullable(uuid), bookedAt: instant, channel: nullable(text) },
    /** Whether it reversed a part of its transfer. */
    isOfPart: boolean,
  },
  text: `select reversals.requisite_id, reversals.dedupe_key, reversals.transfer_id, reversals.booked_at,
      reversals.channel, coalesce(transfers.amount > reversals.amount, false) as is_of_part
    from transfer_reversals as reversals
    left join transfers on transfers.requisite_id = reversals.requisite_id and transfers.id = reversals.transfer_id
    where (reversals.requisite_id, reversals.dedupe_key) in (select * from :rows)`,
})

// If a channel that does not report senders was first, the duplicate of its transfer has the sender, unless only one person
// says who that was.
const sender = `coalesce(transfers.sender_index, (select duplicates.sender_index from transfers as duplicates
        where duplicates.requisite_id = transfers.requisite_id
          and duplicates.duplicate_of between transfers.id and transfers.id and duplicates.sender_index is not null and duplicates.reported_by is null
          and ${hasPartOfKind(`= 'duplicate'`, 'duplicates')}
        order by duplicates.requisite_id, duplicates.duplicate_of limit 1))`

// The bank may still report a reversal that an operator announced. A transfer whose statement is being withdrawn counts
// as withdrawn. What waits for a second person may never have come, so no reversal means it.
const reversible = (which: string): string => `select transfers.id, ${sender} as sender_index,
      transfers.amount - reversed.amount as amount_left, announced.id as announced_id, announced.amount as announced_amount,
      case when not ${hasPartOfKind(`not in ('suspense', 'duplicate')`)} then transfers.duplicate_of end as duplicate_of,
      ${hasPartOfKind(`= 'duplicate'`)} as is_duplicate,
      exists (select from (select others.id from transfers as others
          where others.requisite_id = transfers.requisite_id and others.duplicate_of between transfers.id and transfers.id
            and not others.second_person and not ${hasPartOfKind(`<> 'suspense'`, 'others')}
          order by others.requisite_id, others.duplicate_of limit 1) as undecided) as may_have_duplicate
    from transfers
    cross join lateral (${sumReversals('transfers')}) as reversed
    left join transfer_reversals as announced on announced.requisite_id = transfers.requisite_id
      and announced.transfer_id = transfers.id and announced.dedupe_key = 'operator:' || transfers.id
    where transfers.requisite_id = :requisiteId and ${which} and transfers.dedupe_key not like 'withdrawn:%'
      and (announced.id is not null or transfers.amount > reversed.amount)
      and not ${isUnconfirmed('transfers')} and not ${beingWithdrawn('transfers')}`

const reversibleRow = {
  id: uuid,
  senderIndex: nullable(text),
  /** What no reversal has taken yet. */
  amountLeft: bigint,
  /** The reversal that an operator announced for it. */
  announcedId: nullable(uuid),
  announcedAmount: nullable(bigint),
  /** The transfer of another channel that it duplicates, or may duplicate. */
  duplicateOf: nullable(uuid),
  /** Whether an operator decided so. */
  isDuplicate: boolean,
  /** Whether an undecided transfer of another channel may duplicate this one. */
  mayHaveDuplicate: boolean,
}

/** Read it after locking, separately: a query that waited for the lock would see earlier reversals and parts. */
export const findReversible = query('find_reversible_transfer', {
  parameters: key,
  row: reversibleRow,
  text: reversible('transfers.id = :id'),
})

/** Locks the transfer with a dedupe key against every decision about it. */
export const lockByKey = query('lock_transfer_to_reverse_by_key', {
  parameters: { requisiteId: uuid, dedupeKey: text },
  row: { id: uuid },
  // A range in index order, so that no kept plan uses another index that begins with the requisite.
  text: `select id from transfers
    where requisite_id = :requisiteId and dedupe_key between :dedupeKey and :dedupeKey
      and not ${isUnconfirmed('transfers')}
    order by requisite_id, dedupe_key limit 1 for update`,
})

/**
 * Locks the two most likely transfers of an amount in a span for a reversal: those of its sender, then of unknown
 * senders; announced ones first, then the latest. Leaves out certain duplicates, those that the channel `otherThan`
 * reported under a reference, and those of other senders that came from an own account.
 */
export const lockReversible = query('lock_reversible_transfers', {
  parameters: {
    requisiteId: uuid,
    amount: bigint,
    senderIndexes: nullable(array(text)),
    otherThan: nullable(text),
    since: instant,
    until: instant,
  },
  row: reversibleRow,
  text: `${reversible(`transfers.amount = :amount and transfers.booked_at between :since and :until
      and (:otherThan is null or transfers.channel is distinct from :otherThan or transfers.bank_reference is null)
      and :amount in (transfers.amount - reversed.amount, announced.amount)
      and (:senderIndexes is null or coalesce(${sender} = any(:senderIndexes), true)) and not ${hasPartOfKind(`= 'duplicate'`)}
      and (coalesce(${sender} = any(:senderIndexes), false) or not exists (select from outgoing_transfers as sent
        where sent.purpose = 'own-account' and sent.document_id = transfers.id))`)}
    order by coalesce(${sender} = any(:senderIndexes), false) desc, announced.id is not null desc, transfers.booked_at desc,
      transfers.id desc
    limit 2 for update of transfers`,
})

/** Locks two transfers of at least an amount in a span that have one of these references. */
export const lockReferred = query('lock_transfers_with_reference', {
  parameters: {
    ...{ requisiteId: uuid, least: bigint, references: array(text), referenceKind: nullable(text) },
    ...{ since: instant, until: instant },
  },
  row: { id: uuid },
  text: `select id from transfers
    where requisite_id = :requisiteId and bank_reference = any(:references) and amount >= :least
      and booked_at between :since and :until
      and (:referenceKind is null or reference_kind is null or reference_kind = :referenceKind)
      and dedupe_key not like 'withdrawn:%' and not ${isUnconfirmed('transfers')} and not ${hasPartOfKind(`= 'duplicate'`)}
    order by requisite_id, bank_reference, id limit 2 for update`,
})

/** Reversals of an amount of other channels, carried out; with `earlierThan` also of other files, except these keys. */
export const listReversedElsewhere = query('list_reversals_reported_elsewhere', {
  parameters: {
    requisiteId: uuid,
    amount: bigint,
    channel: text,
    earlierThan: nullable(text),
    keys: array(text),
    since: instant,
    until: instant,
  },
  row: {
    requisiteId: uuid,
    amount: bigint,
    bookedAt: instant,
    senderMasked: text,
    bankReference: nullable(text),
    referenceKind: nullable(text),
  },
  text: `select :row from transfer_reversals
    where requisite_id = :requisiteId and amount = :amount
      and (channel is distinct from :channel or (source <> :earlierThan and dedupe_key <> all(:keys)))
      and booked_at between :since and :until and transfer_id is not null and dedupe_key not like 'operator:%'`,
})

/** Sets the transfer that a reversal took back; nobody proposes any more to ignore it. */
export const setReversed = query('set_reversed_transfer', {
  parameters: { ...key, transferId: uuid },
  text: `update transfer_reversals set transfer_id = :transferId,
      resolved_by = case when resolved_at is not null then resolved_by end,
      note = case when resolved_at is not null then note end
    where requisite_id = :requisiteId and id = :id`,
})

export const sumTakenBack = query('sum_taken_back_of_payment', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { amount: bigint },
  text: `select coalesce(sum(reversed_amount), 0)::bigint as amount from transfer_parts
    where merchant_id = :merchantId and payment_id = :paymentId and kind = 'payment' and replaced_at is null`,
})

const transferReversals = table('transfer_reversals', key)

export const deleteReversal = transferReversals.delete('delete_transfer_reversal')

export const deleteOpenReversals = query('delete_open_transfer_reversals', {
  rows: { requisiteId: uuid, dedupeKey: text },
  text: `delete from transfer_reversals
    where transfer_id is null and resolved_at is null and (requisite_id, dedupe_key) in (select * from :rows)`,
})

export const confirmReversal = transferReversals.update('confirm_transfer_reversal', reportColumns)

export const selectOpenReversals = query('list_open_transfer_reversals', {
  planned: 'each-time',
  parameters: { before: nullable(uuid), limit: integer },
  row: {
    ...key,
    currency: text,
    amount: bigint,
    bookedAt: instant,
    source: text,
    bankReference: nullable(text),
    senderMasked: text,
    recordedAt: instant,
    /** Who proposes to ignore it, and why. */
    proposedBy: nullable(text),
    reason: nullable(text),
    candidates: jsonb<readonly string[]>(),
  },
  text: `select requisite_id, id, currency, amount, booked_at, source, bank_reference, sender_masked, recorded_at,
      resolved_by as proposed_by, note as reason,
      coalesce((select jsonb_agg(found.id order by found.id desc) from (
        (select transfers.id from transfers
        where transfers.requisite_id = reversals.requisite_id and transfers.bank_reference = reversals.bank_reference
          and transfers.amount >= reversals.amount and transfers.dedupe_key not like 'withdrawn:%'
          and not ${hasPartOfKind(`= 'duplicate'`)} and not ${isUnconfirmed('transfers')}
        order by transfers.booked_at desc limit 5)
        union
        (select transfers.id from transfers
        where transfers.requisite_id = reversals.requisite_id and transfers.amount = reversals.amount
          and transfers.dedupe_key not like 'withdrawn:%' and not ${hasPartOfKind(`= 'duplicate'`)}
          and not ${isUnconfirmed('transfers')}
          and not exists (select from transfer_reversals as others
            where others.requisite_id = transfers.requisite_id and others.transfer_id = transfers.id
              and others.dedupe_key <> 'operator:' || transfers.id)
        order by transfers.booked_at desc limit 20)) as found), '[]') as candidates
    from transfer_reversals as reversals
    where transfer_id is null and resolved_at is null and (:before is null or id < :before) order by id desc limit :limit`,
})

/**
 * Waiting reversals whose transfer has since come: the one with their reference and amount (see `dedupeKey`), the
 * original if that is a duplicate, or the only one with their reference and a larger amount. Leaves out those that may
 * be another reversal of their file, and those that only the maker of a key reports.
 */
export const listEarlyReversals = query('list_early_transfer_reversals', {
  parameters: { limit: integer },
  row: { ...key, transferId: uuid },
  // A range in index order, so that no kept plan uses another index that begins with the requisite.
  text: `select early.requisite_id, early.id, transfers.id as transfer_id from transfer_reversals as early
    left join lateral (
      select case when ${hasPartOfKind(`= 'duplicate'`, 'each')} then each.duplicate_of else each.id end as id
      from transfers as each where each.requisite_id = early.requisite_id
        and each.dedupe_key between 'ref:' || early.amount || ':' || early.bank_reference
          and 'ref:' || early.amount || ':' || early.bank_reference
        and not ${isUnconfirmed('each')}
      order by each.requisite_id, each.dedupe_key limit 1
    ) as equal on true
    left join lateral (
      select min(id::text)::uuid as id from (
        select each.id from transfers as each where each.requisite_id = early.requisite_id
          and each.bank_reference between early.bank_reference and early.bank_reference
          and each.bank_reference is not null and each.amount > early.amount and not ${isUnconfirmed('each')}
          and not ${hasPartOfKind(`= 'duplicate'`, 'each')}
        order by each.requisite_id, each.bank_reference limit 2
      ) as found having count(*) = 1
    ) as larger on equal.id is null
    join transfers on transfers.requisite_id = early.requisite_id and transfers.id = coalesce(equal.id, larger.id)
    cross join lateral (${sumReversals('transfers')}) as reversed
    where early.transfer_id is null and early.resolved_at is null and early.bank_reference is not null
      and early.dedupe_key not like 'again:%' and early.dedupe_key not like 'alone:%'
      and transfers.amount - reversed.amount >= early.amount
    order by early.id limit :limit`,
})

export const lockOpenReversal = query('lock_open_transfer_reversal', {
  parameters: key,
  row: { ...key, currency: text, amount: bigint, ...reportColumns, proposedBy: nullable(text) },
  text: `select :row from (select *, resolved_by as proposed_by from transfer_reversals
      where requisite_id = :requisiteId and id = :id and transfer_id is null and resolved_at is null for update) as open`,
})

/** What an operator alone has set aside of real money since a time, by currency. */
export const sumIgnoredAlone = query('sum_transfer_reversals_ignored_alone', {
  parameters: { by: text, since: instant, until: instant },
  row: { currency: text, amount: bigint },
  text: `select currency, least(sum(amount), 9e18)::bigint as amount from transfer_reversals
    where resolved_by = :by and resolved_at > :since and resolved_at <= :until and transfer_id is null
      and requisite_id in (select id from requisites where mode = 'live')
    group by currency`,
})

/** The reversal of a transfer that one operator has announced, until the bank reports it or another operator agrees. */
export const findAnnouncedAlone = query('find_transfer_reversal_announced_alone', {
  parameters: { requisiteId: uuid, transferId: uuid },
  row: { id: uuid, source: text },
  text: `select id, source from transfer_reversals
    where requisite_id = :requisiteId and dedupe_key = 'operator:' || :transferId and resolved_at is null`,
})

/** Resolves a reversal that waited for an operator; without a time, it goes on waiting, and this is a proposal. */
export const resolveReversal = transferReversals.update('resolve_transfer_reversal', {
  resolvedBy: text,
  note: nullable(text),
  resolvedAt: nullable(instant),
})

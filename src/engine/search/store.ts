import {
  array,
  bigint,
  boolean,
  type Codecs,
  instant,
  integer,
  nullable,
  query,
  text,
  uuid,
  word,
} from 'payin-database'
import type { PaymentStatus } from '../../rules/payments/payment.ts'
import type { SearchKind } from '../../rules/search/search.ts'

/** How far a kind is indexed; locked, and no row if another process is indexing it. */
export const lockProgress = query('lock_search_progress', {
  parameters: { kind: word<SearchKind>() },
  row: { completeUntil: instant, seenUntil: instant },
  text: `select complete_until, seen_until from search_progress where kind = :kind for update skip locked`,
})

/** Stores how far a kind is indexed. */
export const updateProgress = query('update_search_progress', {
  parameters: { kind: word<SearchKind>(), completeUntil: instant, seenUntil: instant },
  text: `update search_progress set complete_until = :completeUntil, seen_until = :seenUntil where kind = :kind`,
})

/** Adds entries. Whoever writes entries of a kind has its progress locked. */
export const insertEntries = query('insert_search_entries', {
  parameters: { kind: word<SearchKind>() },
  rows: { ownerId: uuid, id: uuid, tokens: text },
  text: `insert into search_entries (kind, owner_id, id, tokens) select :kind, owner_id, id, tokens::bigint[] from :rows`,
})

const span = { fromId: uuid, untilId: uuid }
const page = { ...span, limit: integer }

/** Some of the owners of entries in a span of ids. */
export const listIndexedOwners = query('list_indexed_search_owners', {
  parameters: { kind: word<SearchKind>(), ...span },
  rows: { ownerId: uuid },
  row: { ownerId: uuid },
  text: `select input.owner_id from :rows where exists (select from search_entries as entry
      where entry.kind = :kind and entry.owner_id = input.owner_id and entry.id >= :fromId and entry.id < :untilId offset 0)`,
})

const keyRow = { ownerId: uuid, id: uuid }

/**
 * A table whose rows have entries: the name for its rows in query names, the table of their owners with the column that
 * names one, and the columns that words are taken from, with their codecs.
 */
type Source<R extends Codecs> = {
  readonly plural: string
  readonly table: string
  readonly owners: string
  readonly owner: string
  readonly row: R
  readonly columns: string
}

const queriesOf = <R extends Codecs>(kind: SearchKind, source: Source<R>) => {
  const { plural, table, owners, owner, columns } = source
  const row = { ...keyRow, ...source.row }
  const ofOwner = `${owner} = ${owners}.id and id >= :fromId and id < :untilId`
  return {
    /** The first rows in a span of ids, with or without an entry, owner by owner along the primary key. */
    listWithin: query(`list_${plural}_within`, {
      parameters: page,
      row,
      text: `select each.* from ${owners} cross join lateral (
          select ${owner} as owner_id, id, ${columns} from ${table} where ${ofOwner} order by id limit :limit
        ) as each
        order by each.id limit :limit`,
    }),
    /** The owners who have more rows in a span of ids than entries: neither is ever deleted. */
    listLacking: query(`list_lacking_${plural}`, {
      parameters: span,
      row: { ownerId: uuid },
      text: `select ${owners}.id as owner_id from ${owners}
        cross join lateral (select count(*) as number from ${table} where ${ofOwner}) as present
        cross join lateral (select count(*) as number from search_entries
          where kind = '${kind}' and owner_id = ${owners}.id and id >= :fromId and id < :untilId) as indexed
        where present.number <> indexed.number`,
    }),
    /**
     * The first rows of some owners in a span of ids that have no entry. `offset` keeps `exists` from becoming a join,
     * which, planned for an empty table, read all entries for each row.
     */
    listUnindexed: query(`list_unindexed_${plural}`, {
      parameters: page,
      rows: { ownerId: uuid },
      row,
      text: `select fresh.* from :rows cross join lateral (
          select ${owner} as owner_id, each.id, ${columns} from ${table} as each
          where each.${owner} = input.owner_id and each.id >= :fromId and each.id < :untilId
            and not exists (select from search_entries as entry
              where entry.kind = '${kind}' and entry.owner_id = each.${owner} and entry.id = each.id offset 0)
          order by each.id limit :limit
        ) as fresh
        order by fresh.id limit :limit`,
    }),
    /** The rows of entries that are being renewed. */
    listIndexed: query(`list_indexed_${plural}`, {
      rows: keyRow,
      row,
      text: `select each.${owner} as owner_id, each.id, ${columns} from :rows
        join ${table} as each on each.${owner} = input.owner_id and each.id = input.id`,
    }),
  }
}

const money = { currency: text, amount: bigint, bankReference: nullable(text), masked: text }

/** The indexed columns of incoming transfers. */
export const transfers = queriesOf('transfer', {
  ...{ plural: 'transfers', table: 'transfers', owners: 'requisites', owner: 'requisite_id' },
  row: { ...money, senderNameSealed: nullable(text), textSealed: nullable(text) },
  columns: 'currency, amount, bank_reference, sender_masked as masked, sender_name_sealed, text_sealed',
})

/** The indexed columns of outgoing transfers. */
export const outgoing = queriesOf('outgoing', {
  ...{ plural: 'outgoing', table: 'outgoing_transfers', owners: 'requisites', owner: 'requisite_id' },
  row: { ...money, detailsSealed: text },
  columns: 'currency, amount, bank_reference, payee_masked as masked, details_sealed',
})

/** Entries after one, along the primary key. */
export const listEntriesAfter = query('list_search_entries_after', {
  parameters: { kind: text, ownerId: uuid, id: uuid, limit: integer },
  row: { kind: word<SearchKind>(), ...keyRow },
  text: `select :row from search_entries where (kind, owner_id, id) > (:kind, :ownerId, :id)
    order by kind, owner_id, id limit :limit`,
})

/** Writes other tokens into entries; returns the entries that changed. */
export const updateTokens = query('update_search_tokens', {
  parameters: { kind: word<SearchKind>() },
  rows: { ...keyRow, tokens: text },
  row: { id: uuid },
  // An inner query reads the text, kept separate by `offset`: Citus does not allow such a cast of a column in an
  // update.
  text: `update search_entries as known set tokens = renewed.tokens
    from (select owner_id, id, input.tokens::bigint[] as tokens from :rows offset 0) as renewed
    where known.kind = :kind and known.owner_id = renewed.owner_id and known.id = renewed.id and known.tokens <> renewed.tokens
    returning known.id`,
})

const tokens = nullable(array(bigint))
const mayHave = (term: string): string => `(:${term} is null or tokens && :${term})`

/** The newest entries, within a span of ids if given, that have one of the tokens of each term; missing terms are `null`. */
export const listEntries = query('list_search_entries', {
  planned: 'each-time',
  parameters: {
    ...{ first: array(bigint), second: tokens, third: tokens, fourth: tokens, fifth: tokens },
    ...page,
  },
  row: { kind: word<SearchKind>(), ...keyRow },
  text: `select :row from search_entries
    where tokens && :first and ${['second', 'third', 'fourth', 'fifth'].map(mayHave).join(' and ')}
      and id >= :fromId and id < :untilId
    order by id desc limit :limit`,
})

const newestWithin = (owners: string, owner: string, table: string) =>
  query(`list_newest_${table}_within`, {
    planned: 'each-time',
    parameters: { fromId: uuid, untilId: uuid, limit: integer },
    row: keyRow,
    text: `select ${owner} as owner_id, found.id from ${owners} cross join lateral (
        select ${owner}, id from ${table} where ${table}.${owner} = ${owners}.id and id >= :fromId and id < :untilId
        order by id desc limit :limit
      ) as found
      order by found.id desc limit :limit`,
  })

/** The newest of a kind within a span of ids. */
export const listNewestWithin = {
  payment: newestWithin('merchants', 'merchant_id', 'payments'),
  transfer: newestWithin('requisites', 'requisite_id', 'transfers'),
  outgoing: newestWithin('requisites', 'requisite_id', 'outgoing_transfers'),
}

/**
 * Payments that may be meant, the certain ones first, then the newest: by order (or its beginning), user, id, amount, the
 * payer's phone, and the end of its number.
 */
export const listNamedPayments = query('list_payments_for_search', {
  planned: 'each-time',
  parameters: {
    /** The whole text, as an order or its beginning. */
    text: nullable(text),
    /** Spellings of its words, as orders and users. */
    codes: array(text),
    id: nullable(uuid),
    /** Blind indexes of a payer's number. */
    numberIndexes: array(text),
    endings: array(text),
    ...span,
    limit: integer,
  },
  /** What its words may be worth. */
  rows: { currency: text, amount: bigint },
  row: {
    ...keyRow,
    exact: boolean,
    ...{ orderId: text, userId: nullable(text), currency: text, amount: bigint, masked: text },
  },
  text: `with found as (
      (select each.merchant_id, each.id, each.order_id = :text as exact from merchants cross join lateral (
        select merchant_id, id, order_id from payments
        where payments.merchant_id = merchants.id and order_id = any(array_append(:codes, :text))
      ) as each limit :limit)
      union all
      (select each.merchant_id, each.id, false from merchants cross join lateral (
        select merchant_id, id from payments where payments.merchant_id = merchants.id
          and order_id > :text and order_id < :text || chr(1114111) order by order_id limit :limit
      ) as each order by each.id desc limit :limit)
      union all
      (select each.merchant_id, each.id, true from merchants cross join lateral (
        select merchant_id, id from payments where payments.merchant_id = merchants.id and id = :id
      ) as each)
      union all
      (select merchant_id, id, false from payments where user_id_given and user_id = any(:codes)
        and id >= :fromId and id < :untilId order by id desc limit :limit)
      union all
      (select each.merchant_id, each.id, false from :rows cross join merchants cross join lateral (
        select merchant_id, id from payments where payments.merchant_id = merchants.id
          and currency = input.currency and amount = input.amount and id >= :fromId and id < :untilId
        order by id desc limit :limit
      ) as each order by each.id desc limit :limit)
      union all
      (select merchant_id, id, true from payments
        where payer_phone_index is not null and payer_phone_index = any(:numberIndexes) order by id desc limit :limit)
      union all
      (select merchant_id, id, false from payments
        where source_pan <> '' and "right"(source_pan, 4) = any(:endings) order by id desc limit :limit)
    )
    select payments.merchant_id as owner_id, payments.id, found.exact, order_id,
      case when user_id_given then user_id end as user_id, currency, amount, source_pan as masked
    from (select merchant_id, id, bool_or(exact) as exact from found group by merchant_id, id
      order by exact desc, id desc limit :limit) as found
    join payments on payments.merchant_id = found.merchant_id and payments.id = found.id
    order by exact desc, id desc`,
})

/** Incoming transfers by id or the sender's whole number, the newest first. */
export const listNamedTransfers = query('list_transfers_for_search', {
  planned: 'each-time',
  parameters: { id: nullable(uuid), numberIndexes: array(text), limit: integer },
  row: keyRow,
  text: `select requisite_id as owner_id, id from (
      (select found.requisite_id, found.id from requisites cross join lateral (
        select requisite_id, id from transfers where transfers.requisite_id = requisites.id and id = :id
      ) as found)
      union all
      (select requisite_id, id from transfers
        where sender_index is not null and sender_index = any(:numberIndexes) order by id desc limit :limit)
    ) as found
    order by id desc limit :limit`,
})

/** Outgoing transfers by id or the payee's whole number, the newest first. */
export const listNamedOutgoing = query('list_outgoing_for_search', {
  planned: 'each-time',
  parameters: { id: nullable(uuid), numberIndexes: array(text), limit: integer },
  row: keyRow,
  text: `select requisite_id as owner_id, id from (
      (select requisite_id, id from outgoing_transfers where id = :id)
      union all
      (select requisite_id, id from outgoing_transfers
        where payee_index is not null and payee_index = any(:numberIndexes) order by id desc limit :limit)
    ) as found
    order by id desc limit :limit`,
})

/** Settlements by reference (or its beginning) or id, the newest first. */
export const listNamedSettlements = query('list_settlements_for_search', {
  planned: 'each-time',
  parameters: { text: nullable(text), id: nullable(uuid), limit: integer },
  row: { merchantId: uuid, id: uuid, exact: boolean, label: text, amount: bigint, state: text, at: instant },
  text: `select found.merchant_id, found.id, coalesce(found.reference = :text, false) or coalesce(found.id = :id, false) as exact,
      found.reference as label, found.amount, found.status as state, found.created_at as at
    from merchants cross join lateral (
      (select merchant_id, id, reference, amount, status, created_at from settlements
        where settlements.merchant_id = merchants.id and reference >= :text and reference < :text || chr(1114111)
        order by reference limit :limit)
      union
      (select merchant_id, id, reference, amount, status, created_at from settlements
        where settlements.merchant_id = merchants.id and id = :id)
    ) as found
    order by exact desc, found.id desc limit :limit`,
})

const shown = { currency: text, amount: bigint, number: nullable(text), at: instant }

/** The displayed columns of found payments. */
export const listFoundPayments = query('list_found_payments', {
  rows: keyRow,
  row: { merchantId: uuid, id: uuid, label: text, state: word<PaymentStatus>(), ...shown },
  text: `select payments.merchant_id, payments.id, order_id as label, status as state, currency, amount,
      nullif(source_pan, '') as number, created_at as at
    from :rows join payments on payments.merchant_id = input.owner_id and payments.id = input.id`,
})

const shownOfTransfer = { requisiteId: uuid, id: uuid, label: nullable(text), state: text, ...shown }

/** The displayed columns of found incoming transfers, including where the money of their first part is. */
export const listFoundTransfers = query('list_found_transfers', {
  rows: keyRow,
  row: { ...shownOfTransfer, name: nullable(text), merchantId: nullable(uuid), paymentId: nullable(uuid) },
  text: `select transfers.requisite_id, transfers.id, bank_reference as label, part.kind as state, transfers.currency,
      transfers.amount, nullif(sender_masked, '') as number, booked_at as at, sender_name_masked as name, part.merchant_id,
      part.payment_id
    from :rows join transfers on transfers.requisite_id = input.owner_id and transfers.id = input.id
    cross join lateral (
      select kind, merchant_id, payment_id from transfer_parts as parts
      where parts.requisite_id = transfers.requisite_id and parts.transfer_id = transfers.id and replaced_at is null
      order by parts.requisite_id, parts.transfer_id, number limit 1
    ) as part`,
})

/** The displayed columns of found outgoing transfers. */
export const listFoundOutgoing = query('list_found_outgoing', {
  rows: keyRow,
  row: shownOfTransfer,
  text: `select outgoing.requisite_id, outgoing.id, bank_reference as label,
      case state when 'booked' then purpose else state end as state, currency, amount,
      nullif(payee_masked, '') as number, booked_at as at
    from :rows join outgoing_transfers as outgoing
      on outgoing.requisite_id = input.owner_id and outgoing.id = input.id`,
})

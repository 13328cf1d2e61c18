import { array, bigint, boolean, instant, integer, nullable, query, text, uuid, word } from 'payin-database'
import type { PaymentStatus } from '../../rules/payments/payment.ts'
import type { SearchKind } from '../../rules/search/search.ts'

const span = { fromId: uuid, untilId: uuid }
const page = { ...span, limit: integer }

const keyRow = { ownerId: uuid, id: uuid }

const money = { currency: text, amount: bigint, reference: nullable(text), masked: text }

const indexed = (table: string, columns: string): string =>
  `select each.requisite_id, each.id, currency, amount, bank_reference as reference, ${columns} from :rows
    join ${table} as each on each.requisite_id = input.owner_id and each.id = input.id`

/** Incoming transfers with the columns that their words are taken from. */
export const listIndexedTransfers = query('list_indexed_transfers', {
  rows: keyRow,
  row: { requisiteId: uuid, id: uuid, ...money, senderNameSealed: nullable(text), textSealed: nullable(text) },
  text: indexed('transfers', 'sender_masked as masked, sender_name_sealed, text_sealed'),
})

export const listIndexedOutgoing = query('list_indexed_outgoing', {
  rows: keyRow,
  row: { requisiteId: uuid, id: uuid, ...money, detailsSealed: text },
  text: indexed('outgoing_transfers', 'payee_masked as masked, details_sealed'),
})

export const listEntriesAfter = query('list_search_entries_after', {
  parameters: { kind: text, ownerId: uuid, id: uuid, limit: integer },
  row: { kind: word<SearchKind>(), ...keyRow },
  text: `select :row from search_entries where (kind, owner_id, id) > (:kind, :ownerId, :id)
    order by kind, owner_id, id limit :limit`,
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
      (select each.merchant_id, each.id, false from unnest(:codes) as code (user_id) cross join merchants cross join lateral (
        select merchant_id, id from payments where payments.merchant_id = merchants.id and user_id_given
          and user_id = code.user_id and id >= :fromId and id < :untilId order by id desc limit :limit
      ) as each order by each.id desc limit :limit)
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

const named = (name: string, table: string, index: string) =>
  query(name, {
    planned: 'each-time',
    parameters: { id: nullable(uuid), numberIndexes: array(text), limit: integer },
    row: keyRow,
    text: `select requisite_id as owner_id, id from (
      (select found.requisite_id, found.id from requisites cross join lateral (
        select requisite_id, id from ${table} where ${table}.requisite_id = requisites.id and id = :id
      ) as found)
      union all
      (select requisite_id, id from ${table}
        where ${index} is not null and ${index} = any(:numberIndexes) order by id desc limit :limit)
    ) as found
    order by id desc limit :limit`,
  })

/** Transfers by id or the whole number of the other side, the newest first. */
export const listNamedTransfers = named('list_transfers_for_search', 'transfers', 'sender_index')
export const listNamedOutgoing = named('list_outgoing_for_search', 'outgoing_transfers', 'payee_index')

/** Settlements by reference (or its beginning) or id, the newest first. */
export const listNamedSettlements = query('list_settlements_for_search', {
  planned: 'each-time',
  parameters: { text: nullable(text), id: nullable(uuid), limit: integer },
  row: {
    merchantId: uuid,
    id: uuid,
    exact: boolean,
    label: text,
    currency: text,
    amount: bigint,
    state: text,
    at: instant,
  },
  text: `select found.merchant_id, found.id, coalesce(found.reference = :text, false) or coalesce(found.id = :id, false) as exact,
      found.reference as label, found.currency, found.amount, found.status as state, found.created_at as at
    from merchants cross join lateral (
      (select merchant_id, id, reference, currency, amount, status, created_at from settlements
        where settlements.merchant_id = merchants.id and reference >= :text and reference < :text || chr(1114111)
        order by reference limit :limit)
      union
      (select merchant_id, id, reference, currency, amount, status, created_at from settlements
        where settlements.merchant_id = merchants.id and id = :id)
    ) as found
    order by exact desc, found.id desc limit :limit`,
})

const shown = { currency: text, amount: bigint, number: nullable(text), at: instant }

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

export const listFoundOutgoing = query('list_found_outgoing', {
  rows: keyRow,
  row: shownOfTransfer,
  text: `select outgoing.requisite_id, outgoing.id, bank_reference as label,
      case state when 'booked' then purpose else state end as state, currency, amount,
      nullif(payee_masked, '') as number, booked_at as at
    from :rows join outgoing_transfers as outgoing
      on outgoing.requisite_id = input.owner_id and outgoing.id = input.id`,
})

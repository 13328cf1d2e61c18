import { heldUntil, holdsUnpaid } from '../held-slots.ts'
import {
  array,
  bigint,
  byName,
  columnsOf,
  instant,
  integer,
  jsonb,
  nullable,
  query,
  table,
  text,
  uuid,
  word,
} from 'payin-database'
import type { Metadata } from '../../rules/payments/payment.ts'
import type { LinkState } from '../../rules/payments/payment-link.ts'
import type { PaymentMethod } from '../../rules/values/payment-method.ts'

const linkRow = {
  merchantId: uuid,
  id: uuid,
  title: text,
  description: nullable(text),
  currency: text,
  method: nullable(word<PaymentMethod>()),
  amount: nullable(bigint),
  minAmount: nullable(bigint),
  maxAmount: nullable(bigint),
  maxUses: nullable(integer),
  endsAt: nullable(instant),
  returnUrl: nullable(text),
  metadata: nullable(jsonb<Metadata>()),
  createdBy: text,
  createdAt: instant,
  closedAt: nullable(instant),
}

/** Most payments counted per link. */
const mostCounted = 10_000

const countOf = (link: string, condition: string): string => `(select count(*)::integer from (
    select from payments where payments.link_id = ${link}.id and payments.merchant_id = ${link}.merchant_id
      and ${condition} limit ${mostCounted}) as counted)`
const isPaid = `payments.status in ('paid', 'disput-paid')`
const isUnderWay = `payments.status in ('new', 'processing', 'disput')`

/** A link with its numbers of paid and undecided payments; at most 10,000 of each. */
const countedRow = { ...linkRow, paid: integer, underWay: integer }
const counted = (link: string): string => `${columnsOf(linkRow, link)},
    ${countOf(link, isPaid)} as paid, ${countOf(link, isUnderWay)} as under_way`

const paymentLinks = table('payment_links', { id: uuid })

export const insertLink = paymentLinks.insertAll('insert_payment_link', linkRow)

/** A link by its id, and until when the first of the payers who hold it may pay. */
export const selectLink = query('find_payment_link', {
  parameters: { id: uuid },
  row: { ...countedRow, freeAt: nullable(instant) },
  text: `select ${counted('payment_links')}, (select min(payments.expired_at) from payments
        where payments.link_id = payment_links.id and payments.merchant_id = payment_links.merchant_id
          and payments.status = 'new') as free_at
    from payment_links where id = :id`,
})

/** A page of links, newest first, of one merchant or of all; `state` checks only the newest 10,000. */
export const selectLinks = query('list_payment_links', {
  planned: 'each-time',
  parameters: {
    merchantId: nullable(uuid),
    state: nullable(word<LinkState>()),
    before: nullable(uuid),
    now: instant,
    limit: integer,
  },
  row: countedRow,
  text: `select found.* from (
      select ${counted('newest')} from (
        select * from payment_links
        where (:merchantId is null or merchant_id = :merchantId) and (:before is null or id < :before)
        order by id desc limit case when :state is null then :limit else 10000 end
      ) as newest
    ) as found
    where :state is null or :state = case when closed_at is not null then 'closed' when paid >= max_uses then 'used-up'
      when ends_at <= :now then 'ended' else 'open' end
    order by id desc limit :limit`,
})

/** Links of merchants by their title or shortened id. */
export const findLinks = byName(
  'find_payment_links',
  'payment_links',
  { merchantId: uuid, id: uuid, title: text, currency: text, amount: nullable(bigint) },
  'lower(payment_links.title) = lower(:typed)',
)

// Excludes the start of other uses, and closing, until the transaction ends.
export const lockLinkRow = paymentLinks.select('lock_payment_link', linkRow, 'for no key update')

export const markClosed = query('close_payment_link', {
  parameters: { id: uuid, now: instant },
  row: { id: uuid },
  text: `update payment_links set closed_at = :now where id = :id and closed_at is null returning id`,
})

const useRow = {
  linkId: uuid,
  merchantId: uuid,
  orderId: text,
  amount: bigint,
  method: word<PaymentMethod>(),
  seat: nullable(integer),
  visit: text,
  addressIndex: nullable(text),
  startedAt: instant,
}
const useKey = { linkId: uuid, orderId: text }

/** Adds a use; no row if its seat or its visit already has one. */
export const insertUse = query('insert_payment_link_use', {
  rows: useRow,
  row: { orderId: text },
  text: `insert into payment_link_uses (:columns) select :columns from :rows on conflict do nothing returning order_id`,
})

export const findUseOfVisit = query('find_payment_link_use', {
  parameters: { linkId: uuid, visits: array(text) },
  row: { ...useKey, amount: bigint, method: word<PaymentMethod>() },
  text: `select :row from payment_link_uses
    where link_id = :linkId and visit = any(:visits) and released_at is null`,
})

/** The payment that the same visit has started after an order and that replaces it; `null` until it is created. */
export const findNewerUse = query('find_newer_payment_link_use', {
  parameters: useKey,
  row: { paymentId: nullable(uuid) },
  text: `select newer.payment_id from payment_link_uses as older
    join payment_link_uses as newer on newer.link_id = older.link_id and newer.visit = older.visit and newer.released_at is null
    where older.link_id = :linkId and older.order_id = :orderId and older.released_at is not null`,
})

/** Sets the payment of a use; no row if the use was released meanwhile. */
export const bindUse = query('bind_payment_link_use', {
  parameters: { ...useKey, paymentId: uuid },
  row: { orderId: text },
  text: `update payment_link_uses set payment_id = :paymentId
    where link_id = :linkId and order_id = :orderId and released_at is null returning order_id`,
})

export const deleteUse = query('delete_payment_link_use', {
  parameters: useKey,
  text: `delete from payment_link_uses where link_id = :linkId and order_id = :orderId and payment_id is null`,
})

export const releaseUse = query('release_payment_link_use', {
  parameters: { ...useKey, now: instant },
  text: `update payment_link_uses set released_at = :now
    where link_id = :linkId and order_id = :orderId and released_at is null`,
})

const ofUse = 'payments.merchant_id = uses.merchant_id and payments.order_id = uses.order_id'

/** Releases the seats of payments that expect no money, and of those that were never created. */
export const releaseFreedUses = query('release_payment_link_uses', {
  parameters: { linkId: uuid, now: instant, staleBefore: instant },
  text: `update payment_link_uses as uses set released_at = :now
    where uses.link_id = :linkId and uses.seat is not null and uses.released_at is null and (
      exists (select from payments where ${ofUse} and payments.status in ('expired', 'canceled', 'failed'))
      or uses.started_at < :staleBefore and not exists (select from payments where ${ofUse}))`,
})

/**
 * The uses of a limited link: those that hold a seat, or whose payment was paid after its seat had been released; how
 * many are paid; the first free seat; and until when the payer of the next seat to be freed may pay.
 */
export const countTaken = query('count_payment_link_uses', {
  parameters: { linkId: uuid, maxUses: integer },
  row: { taken: integer, paid: integer, seat: nullable(integer), freeAt: nullable(instant) },
  text: `select count(*)::integer as taken,
      (count(*) filter (where ${isPaid}))::integer as paid,
      (select min(free.seat) from generate_series(1, :maxUses) as free (seat) where not exists (
        select from payment_link_uses as held
        where held.link_id = :linkId and held.seat = free.seat and held.released_at is null))::integer as seat,
      min(payments.expired_at) filter (where payments.status = 'new') as free_at
    from payment_link_uses as uses left join payments on ${ofUse}
    where uses.link_id = :linkId
      and (uses.released_at is null or payments.status in ('new', 'processing', 'paid', 'disput', 'disput-paid'))`,
})

/** How many unpaid payments of a link hold an amount, including those being created, and when the first one ends. */
export const countHeldOfLink = query('count_held_of_payment_link', {
  parameters: { merchantId: uuid, linkId: uuid, firstId: uuid, startedAfter: instant, now: instant },
  row: { held: integer, endsAt: nullable(instant) },
  text: `select (count(*) + (select count(*) from payment_link_uses as uses
        where uses.link_id = :linkId and uses.payment_id is null and uses.started_at > :startedAfter
          and not exists (select from payments where ${ofUse})))::integer as held,
      min(held.until) as ends_at
    from payments cross join ${heldUntil}
    where payments.merchant_id = :merchantId and payments.link_id = :linkId and payments.id >= :firstId and ${holdsUnpaid}`,
})

/** The same for all links that were used from an address. */
export const countHeldOfAddress = query('count_held_of_address', {
  parameters: { addressIndexes: array(text), since: instant, startedAfter: instant, now: instant },
  row: { held: integer, endsAt: nullable(instant) },
  text: `select count(*)::integer as held, min(held.until) as ends_at
    from payment_link_uses as uses left join payments on ${ofUse} left join ${heldUntil} on true
    where uses.address_index = any(:addressIndexes) and uses.started_at > :since
      and (${holdsUnpaid} or payments.id is null and uses.started_at > :startedAfter)`,
})

export const forgetAddressIndexes = query('forget_payment_link_addresses', {
  parameters: { before: instant, limit: integer },
  row: { orderId: text },
  text: `update payment_link_uses set address_index = null where (link_id, order_id) in (
      select link_id, order_id from payment_link_uses
      where address_index is not null and started_at < :before order by started_at limit :limit)
    returning order_id`,
})

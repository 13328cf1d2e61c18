import { array, bigint, instant, integer, later, nullable, query, table, text, uuid, word } from 'payin-database'
import type { PaymentMethod } from '../../../rules/values/payment-method.ts'

const isPaid = `payments.status in ('paid', 'disput-paid')`
const isClaimed = `(${isPaid} or payments.claimed_at is not null or payments.received > 0)`
const isShown = `(${isClaimed} or payments.requisite_shown)`

/** The counts of a group of payments; a payment counted at one step is also counted at every earlier one. */
const counted = `count(*) as created,
      count(*) filter (where ${isShown}) as shown,
      count(*) filter (where ${isClaimed}) as claimed,
      count(*) filter (where ${isPaid}) as paid,
      count(*) filter (where payments.status = 'expired' and ${isShown}) as expired,
      coalesce(sum(coalesce(payments.final_amount, payments.received)) filter (where ${isPaid}), 0)::bigint as credited`

/** The hour in which a payment was created, derived from its id as lists do; creating it takes only milliseconds. */
const hourOfId = (first: string, bounds: string): string =>
  later(first, `interval '1 hour' * (width_bucket(payments.id, ${bounds}) - 1)`)

/** The time until which hours are counted, locked; no row if another process is counting. */
export const lockCounted = query('lock_counted_payment_hours', {
  row: { countedUntil: instant },
  text: 'select counted_until from payment_hours_progress for update skip locked',
})

/** Stores the time until which hours are counted. */
export const updateCounted = query('update_counted_payment_hours', {
  parameters: { countedUntil: instant },
  text: 'update payment_hours_progress set counted_until = :countedUntil',
})

/** The first payment from an id on. */
export const findFirstPayment = query('find_first_uncounted_payment', {
  parameters: { fromId: uuid },
  row: { id: uuid },
  text: `select first.id from merchants cross join lateral (
      select id from payments where payments.merchant_id = merchants.id and id >= :fromId order by id limit 1
    ) as first order by first.id limit 1`,
})

/** Counts the payments between two ids; each of `hourIds` is the smallest id of its hour. */
export const insertHours = query('insert_payment_hours', {
  parameters: { firstHour: instant, fromId: uuid, untilId: uuid, hourIds: array(uuid) },
  text: `insert into payment_hours (merchant_id, hour, method, currency, bank, created, shown, claimed, paid, expired, credited)
    select payments.merchant_id, ${hourOfId(':firstHour', ':hourIds')} as hour, payments.method, payments.currency,
      requisites.bank_issuer, ${counted}
    from merchants join payments on payments.merchant_id = merchants.id and payments.id >= :fromId and payments.id < :untilId
      join requisites on requisites.id = payments.requisite_id
    group by 1, 2, 3, 4, 5`,
})

const merchantHour = { merchantId: uuid, hour: instant }

/** Notes hours whose counts may be out of date. */
export const insertChanges = table('payment_hour_changes', { id: uuid }).insertAll('insert_payment_hour_changes', {
  id: uuid,
  ...merchantHour,
})

/** Takes some of the noted hours. */
export const takeChanges = query('take_payment_hour_changes', {
  parameters: { limit: integer },
  row: merchantHour,
  text: `delete from payment_hour_changes where id in (select id from payment_hour_changes order by id limit :limit)
    returning merchant_id, hour`,
})

/** Removes the counts of hours. */
export const deleteHours = query('delete_payment_hours', {
  rows: merchantHour,
  text: 'delete from payment_hours using :rows where payment_hours.merchant_id = input.merchant_id and payment_hours.hour = input.hour',
})

/** Removes all counts. */
export const deleteAllHours = query('delete_all_payment_hours', { text: 'delete from payment_hours' })

/** Recounts hours of merchants. */
export const insertHoursAgain = query('insert_payment_hours_again', {
  rows: { ...merchantHour, fromId: uuid, untilId: uuid },
  text: `insert into payment_hours (merchant_id, hour, method, currency, bank, created, shown, claimed, paid, expired, credited)
    select payments.merchant_id, input.hour, payments.method, payments.currency, requisites.bank_issuer, ${counted}
    from :rows join payments on payments.merchant_id = input.merchant_id
        and payments.id >= input.from_id and payments.id < input.until_id
      join requisites on requisites.id = payments.requisite_id
    group by 1, 2, 3, 4, 5`,
})

const sums = `sum(created)::integer as created, sum(shown)::integer as shown, sum(claimed)::integer as claimed,
      sum(paid)::integer as paid, sum(expired)::integer as expired, sum(credited)::bigint as credited`

/**
 * The payments of some merchants that were created in some hours, summed up by hour, by method, and by bank, each with
 * the currency. Counted hours come from their counts; hours that have changed since, or are not counted yet, come from
 * the payments. It is one query, so that no payment is counted twice.
 */
export const sumHours = query('sum_payment_hours', {
  planned: 'each-time',
  parameters: {
    merchantIds: array(uuid),
    from: instant,
    /** After the last payment. */
    until: instant,
    untilId: uuid,
    /** The smallest id of each hour. */
    hourIds: array(uuid),
  },
  row: {
    hour: nullable(instant),
    method: nullable(word<PaymentMethod>()),
    bank: nullable(text),
    currency: text,
    created: integer,
    shown: integer,
    claimed: integer,
    paid: integer,
    expired: integer,
    credited: bigint,
  },
  text: `with progress as materialized (
      select greatest(:from, least(:until, counted_until)) as counted_until from payment_hours_progress
    ), changed as materialized (
      select distinct merchant_id, hour from payment_hour_changes, progress
      where hour >= :from and hour < counted_until and merchant_id = any(:merchantIds)
    ), stored as (
      select hours.hour, method, currency, bank, created, shown, claimed, paid, expired, credited
      from progress join payment_hours as hours on merchant_id = any(:merchantIds) and hour >= :from and hour < counted_until
      where not exists (select from changed where changed.merchant_id = hours.merchant_id and changed.hour = hours.hour)
    ), spans as (
      select merchant_id, hour, (:hourIds)[place] as from_id, coalesce((:hourIds)[place + 1], :untilId) as until_id
      from changed cross join lateral (select (extract(epoch from hour - :from) / 3600)::integer + 1 as place) as at
      union all
      select merchant_id, null, (:hourIds)[(extract(epoch from counted_until - :from) / 3600)::integer + 1], :untilId
      from progress cross join unnest(:merchantIds) as merchant_id where counted_until < :until
    ), fresh as (
      select coalesce(spans.hour, ${hourOfId(':from', ':hourIds')}) as hour, payments.method, payments.currency,
        requisites.bank_issuer as bank, ${counted}
      from spans join payments on payments.merchant_id = spans.merchant_id
          and payments.id >= spans.from_id and payments.id < spans.until_id
        join requisites on requisites.id = payments.requisite_id
      group by 1, 2, 3, 4
    )
    select hour, method, bank, currency, ${sums}
    from (select * from stored union all select * from fresh) as hours
    group by grouping sets ((hour, currency), (method, currency), (bank, currency))`,
})

/** The median time from creation to credit of the newest credited payments of a period. */
export const findMedian = query('find_median_time_to_paid', {
  planned: 'each-time',
  parameters: { merchantIds: array(uuid), fromId: uuid, untilId: uuid, scanned: integer, perMerchant: integer },
  row: { medianMs: nullable(bigint) },
  text: `select (percentile_disc(0.5) within group (order by took) * 1000)::bigint as median_ms
    from (
      select extract(epoch from changed_at - created_at) as took
      from unnest(:merchantIds) as owner (id) cross join lateral (
        select payments.id, status, created_at, changed_at from payments
        where payments.merchant_id = owner.id and payments.id >= :fromId and payments.id < :untilId
        order by payments.id desc limit :perMerchant
      ) as newest
      where status in ('paid', 'disput-paid') order by newest.id desc limit :scanned
    ) as credited`,
})

import { bigint, instant, integer, nullable, query, text, uuid } from '../database/query.ts'

/** Appends frozen notifications. */
export const insertOutbox = query('insert_outbox', {
  rows: {
    merchantId: uuid,
    id: uuid,
    paymentId: nullable(uuid),
    settlementId: nullable(uuid),
    sequence: nullable(integer),
    endpointId: nullable(uuid),
    kind: text,
    body: text,
    createdAt: instant,
  },
  text: `insert into outbox (:columns) select :columns from :rows`,
})

/** A notification without a position, if there is one. */
export const findUnnumbered = query('find_unnumbered_notification', {
  row: { id: uuid },
  text: `select id from outbox where position is null and kind <> 'payment.new'
    order by created_at, sequence, id limit 1`,
})

/** Locks numbering, if nobody holds it. */
export const tryLockNumbering = query('try_lock_numbering', {
  row: { id: integer },
  // Excludes every other numbering and change of endpoints until the transaction ends; a caller that finds it taken
  // mostly has nothing to do, because another process is numbering.
  text: `select id from notification_lock where id = 1 for update skip locked`,
})

/** Bounds how long this transaction waits for a lock. */
export const boundLockWait = query('bound_lock_wait', {
  parameters: { wait: text },
  text: `select from set_config('lock_timeout', :wait, true)`,
})

/** Locks numbering, after everyone already in the queue. */
export const lockNumbering = query('lock_numbering', {
  row: { id: integer },
  // Excludes numbering, so that a change of endpoints falls between two notifications.
  text: `select id from notification_lock where id = 1 for update`,
})

/**
 * Gives the oldest committed notifications the next positions of their merchants and returns these, first to last.
 * Notifications of a payment are numbered in the order of its sequence, even if the clocks of nodes differ.
 */
export const numberOutbox = query('number_outbox', {
  parameters: { limit: integer },
  row: { merchantId: uuid, first: bigint, last: bigint },
  // Rows are updated by `ctid`: a join by their key, planned while the outbox was empty, read all of it for each row.
  // Nobody else updates a row without a position.
  text: `with fresh as (
      select ctid as row, merchant_id, id, payment_id, created_at, sequence
      from outbox where position is null and kind <> 'payment.new'
      order by created_at, sequence, id limit :limit
    ), in_order as (
      -- None is before one of its payment with a lower sequence.
      select *, case when payment_id is null then created_at else max(created_at) over (
          partition by merchant_id, payment_id order by sequence, created_at, id) end as at from fresh
    ), numbered as (
      select fresh.row, coalesce(counters.position, 0) + row_number() over (
          partition by fresh.merchant_id order by fresh.at, fresh.sequence, fresh.created_at, fresh.id) as position
      from in_order as fresh left join event_counters as counters on counters.merchant_id = fresh.merchant_id
    ), positioned as (
      update outbox set position = numbered.position from numbered
      where outbox.ctid = numbered.row
      returning outbox.merchant_id, outbox.position
    ), ends as (
      select merchant_id, min(position) as first, max(position) as last from positioned group by merchant_id
    ), counters as (
      insert into event_counters (merchant_id, position) select merchant_id, last from ends
      on conflict (merchant_id) do update set position = excluded.position
    )
    select merchant_id, first, last from ends`,
})

/** A merchant's last position; no row before the first one. */
export const findLastPosition = query('find_last_position', {
  parameters: { merchantId: uuid },
  row: { position: bigint },
  text: `select position from event_counters where merchant_id = :merchantId`,
})

const archivedThrough = '(select through from archived_notifications where merchant_id = :merchantId)'

/** The last archived position of a merchant; no row if nothing was archived. */
export const findArchivedThrough = query('find_archived_through', {
  parameters: { merchantId: uuid },
  row: { through: bigint },
  text: 'select through from archived_notifications where merchant_id = :merchantId',
})

/** A merchant's events after a position, by default after the last archived one, in their order. */
export const selectFeed = query('list_event_feed', {
  parameters: { merchantId: uuid, after: nullable(bigint), limit: integer },
  row: { id: uuid, position: nullable(bigint), body: text, archivedThrough: nullable(bigint) },
  text: `select id, position, body, ${archivedThrough} as archived_through from outbox
    where merchant_id = :merchantId and position > coalesce(:after, ${archivedThrough}, 0)
    order by position limit :limit`,
})

const keys = { merchantId: uuid, paymentId: uuid }
// The condition of the index of a payment's events.
const numbered = 'outbox.position is not null and outbox.payment_id is not null'

/** The numbered notifications about payments, as the database writes them. */
export const readNotified = query('read_notifications_of_payments', {
  rows: keys,
  row: { ...keys, notifications: text },
  text: `select input.merchant_id, input.payment_id, coalesce((
      select jsonb_agg(to_jsonb(outbox) - 'merchant_id' - 'payment_id' order by position) from outbox
      where outbox.payment_id = input.payment_id and outbox.merchant_id = input.merchant_id and ${numbered}), '[]')::text
      as notifications from :rows`,
})

/**
 * Deletes the numbered notifications about payments, and counts them as archived for their merchants; returns how many.
 */
export const deleteNotified = query('delete_notifications_of_payments', {
  rows: keys,
  row: { notifications: integer },
  text: `with wanted as (select :columns from :rows), gone as (
      delete from outbox using wanted where outbox.payment_id = wanted.payment_id
        and outbox.merchant_id = wanted.merchant_id and ${numbered}
      returning outbox.merchant_id, outbox.position
    ), summed as (
      insert into archived_notifications as archived (merchant_id, through, notifications, positions)
      select merchant_id, max(position), count(*), sum(position) from gone group by merchant_id order by merchant_id
      on conflict (merchant_id) do update set through = greatest(archived.through, excluded.through),
        notifications = archived.notifications + excluded.notifications,
        positions = archived.positions + excluded.positions
    )
    select count(*)::integer as notifications from gone`,
})

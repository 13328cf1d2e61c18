import { bigint, instant, integer, nullable, query, text, uuid } from '../database/query.ts'

/**
 * Appends frozen notifications, each with the next position of its merchant; `rowsAfter` counts those of its merchant
 * that follow it.
 */
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
    rowsAfter: integer,
  },
  // The counters are locked until the commit, in the order of merchants: positions become visible in their order, and no
  // two transactions wait for each other. A counter that was locked counts on from its latest value.
  text: `with given as (select :columns from :rows), counted as (
      insert into event_counters as counters (merchant_id, position)
      select merchant_id, count(*) from given group by merchant_id order by merchant_id
      on conflict (merchant_id) do update set position = counters.position + excluded.position
      returning merchant_id, position
    )
    insert into outbox
      (merchant_id, id, payment_id, settlement_id, sequence, endpoint_id, kind, body, created_at, position)
    select merchant_id, id, payment_id, settlement_id, sequence, endpoint_id, kind, body, created_at,
      counted.position - given.rows_after
    from given join counted using (merchant_id)`,
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
  row: { id: uuid, position: bigint, body: text, archivedThrough: nullable(bigint) },
  text: `select id, position, body, ${archivedThrough} as archived_through from outbox
    where merchant_id = :merchantId and position > coalesce(:after, ${archivedThrough}, 0)
    order by position limit :limit`,
})

const keys = { merchantId: uuid, paymentId: uuid }

/** The notifications about payments, as the database writes them. */
export const readNotified = query('read_notifications_of_payments', {
  rows: keys,
  row: { ...keys, notifications: text },
  text: `select input.merchant_id, input.payment_id, coalesce((
      select jsonb_agg(to_jsonb(outbox) - 'merchant_id' - 'payment_id' order by position) from outbox
      where outbox.payment_id = input.payment_id and outbox.merchant_id = input.merchant_id), '[]')::text
      as notifications from :rows`,
})

/**
 * Deletes the notifications about payments, and counts them as archived for their merchants; returns how many.
 */
export const deleteNotified = query('delete_notifications_of_payments', {
  rows: keys,
  row: { notifications: integer },
  text: `with wanted as (select :columns from :rows), gone as (
      delete from outbox using wanted where outbox.payment_id = wanted.payment_id
        and outbox.merchant_id = wanted.merchant_id
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

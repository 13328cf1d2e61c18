import { bigint, instant, integer, nullable, query, text, uuid, word } from '../database/query.ts'
import type { PaymentStatus, StatusReason } from '../domain/payment.ts'

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

/** The lock of placing, where nobody holds it. */
export const tryLockPlacing = query('try_lock_placing', {
  row: { id: integer },
  // Excludes every other placing and change of endpoints until the transaction ends; whoever finds it taken mostly has
  // nothing to do, because another process is placing.
  text: `select id from notification_lock where id = 1 for update skip locked`,
})

/** Bounds how long this transaction waits for a lock. */
export const boundLockWait = query('bound_lock_wait', {
  parameters: { wait: text },
  text: `select from set_config('lock_timeout', :wait, true)`,
})

/** The lock of placing, waited for. */
export const lockPlacing = query('lock_placing', {
  row: { id: integer },
  // Excludes placing, so that an endpoint is there for whole events.
  text: `select id from notification_lock where id = 1 for update`,
})

/**
 * Gives the oldest committed notifications their places among those of their merchant and returns the places given, first
 * to last. A payment's events are placed in the order of its sequence, whatever the clocks of nodes say. Credits get a
 * reminder.
 */
export const placeEvents = query('place_events', {
  parameters: { limit: integer, remindSince: instant, remindAfterSeconds: integer },
  row: { merchantId: uuid, first: bigint, last: bigint },
  text: `with fresh as (
      select merchant_id, id, payment_id, created_at, sequence from outbox where position is null and kind <> 'payment.new'
      order by created_at, sequence, id limit :limit
    ), in_order as (
      -- None is before one of its payment with a lower sequence.
      select *, case when payment_id is null then created_at else max(created_at) over (
          partition by merchant_id, payment_id order by sequence, created_at, id) end as at from fresh
    ), numbered as (
      select fresh.merchant_id, fresh.id, coalesce(counters.position, 0) + row_number() over (
          partition by fresh.merchant_id order by fresh.at, fresh.sequence, fresh.created_at, fresh.id) as position
      from in_order as fresh left join event_counters as counters on counters.merchant_id = fresh.merchant_id
    ), placed as (
      update outbox set position = numbered.position from numbered
      where outbox.merchant_id = numbered.merchant_id and outbox.id = numbered.id
      returning outbox.merchant_id, outbox.position, outbox.kind, outbox.payment_id, outbox.sequence, outbox.created_at
    ), reminded as (
      insert into ack_reminders (merchant_id, payment_id, sequence, step, credited_at, due_at)
      select merchant_id, payment_id, sequence, 0, created_at, created_at + :remindAfterSeconds * interval '1 second'
      from placed where kind in ('payment.paid', 'payment.disput-paid') and created_at > :remindSince
      on conflict do nothing
    ), ends as (
      select merchant_id, min(position) as first, max(position) as last from placed group by merchant_id
    ), counters as (
      insert into event_counters (merchant_id, position) select merchant_id, last from ends
      on conflict (merchant_id) do update set position = excluded.position
    )
    select merchant_id, first, last from ends`,
})

/** The last place among a merchant's events; no row before the first one. */
export const findHead = query('find_notification_head', {
  parameters: { merchantId: uuid },
  row: { position: bigint },
  text: `select position from event_counters where merchant_id = :merchantId`,
})

const eventRow = { id: uuid, position: bigint, body: text }

/** A merchant's events after a position, in their order. */
export const listFeed = query('list_event_feed', {
  parameters: { merchantId: uuid, after: bigint, limit: integer },
  row: { ...eventRow, position: nullable(bigint) },
  text: `select id, position, body from outbox where merchant_id = :merchantId and position > :after
    order by position limit :limit`,
})

const reminderKey = { merchantId: uuid, paymentId: uuid, sequence: integer }

/** Credits whose reminder is due, locked. */
export const lockDueReminders = query('lock_due_reminders', {
  parameters: { now: instant, limit: integer },
  row: { ...reminderKey, step: integer, creditedAt: instant },
  // Locks what it returns until the transaction ends; rows that another worker holds are left to it.
  text: `select merchant_id, payment_id, sequence, step, credited_at from ack_reminders
    where due_at <= :now order by due_at limit :limit for update skip locked`,
})

/** The payments of credits as they would be notified now, locked; those that another transaction holds are left out. */
export const lockCredits = query('lock_credits', {
  rows: { merchantId: uuid, paymentId: uuid },
  row: {
    merchantId: uuid,
    id: uuid,
    orderId: text,
    sequence: integer,
    status: word<PaymentStatus>(),
    statusReason: word<StatusReason>(),
    amount: bigint,
    finalAmount: nullable(bigint),
    currency: text,
    acknowledgedAt: nullable(instant),
  },
  // Excludes acknowledgements until the reminder is stored, so that none is made after the acknowledgement; one that is
  // being acknowledged or changed at the moment is looked at again afterwards.
  text: `select payments.merchant_id, payments.id, payments.order_id, payments.sequence, payments.status,
      payments.status_reason, payments.amount, payments.final_amount, payments.currency, payments.acknowledged_at
    from (select distinct :columns from :rows) as input
    join payments on payments.merchant_id = input.merchant_id and payments.id = input.payment_id
    for no key update of payments skip locked`,
})

/** Plans the next reminder of credits. */
export const updateReminders = query('update_ack_reminders', {
  rows: { ...reminderKey, step: integer, dueAt: instant },
  text: `update ack_reminders set step = input.step, due_at = input.due_at from :rows
    where ack_reminders.merchant_id = input.merchant_id and ack_reminders.payment_id = input.payment_id
      and ack_reminders.sequence = input.sequence`,
})

/** Forgets reminders. */
export const deleteReminders = query('delete_ack_reminders', {
  rows: reminderKey,
  text: `delete from ack_reminders using :rows
    where ack_reminders.merchant_id = input.merchant_id and ack_reminders.payment_id = input.payment_id
      and ack_reminders.sequence = input.sequence`,
})

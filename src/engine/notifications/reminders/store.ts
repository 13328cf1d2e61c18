import {
  bigint,
  boolean,
  instant,
  integer,
  jsonb,
  later,
  nullable,
  query,
  sooner,
  text,
  uuid,
  word,
} from 'payin-database'
import type { Metadata, PaymentStatus, StatusReason } from '../../../rules/payments/payment.ts'

const reminderKey = { merchantId: uuid, paymentId: uuid, sequence: integer }

const plan = { before: instant, latest: instant, remindSince: instant, remindAfterSeconds: integer, limit: integer }

/** Most merchants whose notifications one query scans, so that it ends in time however much has piled up. */
const merchantsAtOnce = 200

// Two workers that plan the same write the same, in the same order. The limits keep each look-up by its key: a join,
// planned for empty tables, read all payments.
const planText = (which: string): string => `with behind as (
    select merchant_id, position from (
      select counters.merchant_id, coalesce(planned.position, 0) as position from event_counters as counters
      left join planned_reminders as planned on planned.merchant_id = counters.merchant_id
      where counters.position > coalesce(planned.position, 0) ${which}
    ) as counted cross join lateral (
      select created_at from outbox
      where outbox.merchant_id = counted.merchant_id and outbox.position > counted.position
      order by outbox.position limit 1
    ) as first
    where first.created_at <= :before or first.created_at > :latest limit ${merchantsAtOnce}
  ), next as (
    select found.*, min(found.position) filter (where found.created_at > :before and found.created_at <= :latest)
        over (partition by found.merchant_id) as until
    from behind cross join lateral (
      select merchant_id, position, payment_id, sequence, kind, created_at from outbox
      where outbox.merchant_id = behind.merchant_id and outbox.position > behind.position
      order by outbox.position limit :limit
    ) as found
  ), seen as (
    select * from next where until is null or position < until
  ), reminded as (
    insert into ack_reminders (merchant_id, payment_id, sequence, step, credited_at, due_at)
    select seen.merchant_id, seen.payment_id, seen.sequence, 0, seen.created_at,
      ${later('seen.created_at', ":remindAfterSeconds * interval '1 second'")}
    from seen cross join lateral (
      select sequence, status, acknowledged_at from payments
      where payments.merchant_id = seen.merchant_id and payments.id = seen.payment_id limit 1
    ) as credited
    where seen.kind in ('payment.paid', 'payment.disput-paid') and seen.created_at > :remindSince
      -- The release before, or a sandbox, may have sent its reminders already; only these few credits are checked for that.
      and case when credited.sequence = seen.sequence and credited.acknowledged_at is null
          and credited.status in ('paid', 'disput-paid')
        then (select sequence from outbox as reminders where reminders.payment_id = seen.payment_id
          and reminders.kind = 'payment.ack-overdue' and reminders.sequence = credited.sequence
          order by reminders.position limit 1) is null end
    order by seen.merchant_id, seen.position
    on conflict do nothing
  ), ends as (
    select merchant_id, max(position) as position, count(*)::integer as seen from seen group by merchant_id
  ), noted as (
    insert into planned_reminders as planned (merchant_id, position) select merchant_id, position from ends order by merchant_id
    on conflict (merchant_id) do update set position = greatest(planned.position, excluded.position)
  )
  select coalesce(max(seen) = :limit or count(*) = ${merchantsAtOnce}, false) as more from ends`

/**
 * Scans the numbered notifications of merchants, first to last, up to the first one after `before`: unacknowledged
 * credits since `remindSince` that have had no reminder get theirs. Notifications after `latest`, written by a clock
 * that was ahead, are scanned immediately, so that they hold up no others. Scans at most `limit` of each merchant, and
 * returns whether there may be more.
 */
export const planReminders = query('plan_ack_reminders', {
  parameters: plan,
  row: { more: boolean },
  text: planText(''),
})

/** As `planReminders`, for one merchant. */
export const planMerchantReminders = query('plan_ack_reminders_of_merchant', {
  parameters: { ...plan, merchantId: uuid },
  row: { more: boolean },
  text: planText('and counters.merchant_id = :merchantId'),
})

/** Credits whose reminder is due, locked. */
export const lockDueReminders = query('lock_due_reminders', {
  parameters: { now: instant, limit: integer },
  row: { ...reminderKey, step: integer, creditedAt: instant },
  // Locks what it returns until the transaction ends; skips rows that another worker has locked.
  text: `select :row from ack_reminders
    where due_at <= :now order by due_at limit :limit for update skip locked`,
})

/** Lets reminders after `latest` come now, and counts the later ones from now, too. */
export const correctReminders = query('correct_ack_reminders', {
  parameters: { now: instant, latest: instant },
  row: { paymentId: uuid },
  text: `update ack_reminders set credited_at = least(credited_at, :now), due_at = :now where due_at > :latest
    returning payment_id`,
})

/** The payments of credits as they would be notified now, locked; skips those that another transaction has locked. */
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
    metadata: nullable(jsonb<Metadata>()),
    acknowledgedAt: nullable(instant),
  },
  // Excludes acknowledgements until the reminder is stored, so that no reminder follows an acknowledgement; a payment
  // that is being acknowledged or changed is checked again later.
  text: `select payments.:row
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

/**
 * Turns the reminders of a sandbox merchant forward, and the time from which the later ones count back, so that they
 * come earlier by as much.
 */
export const markRemindersTurned = query('turn_ack_reminders', {
  parameters: { merchantId: uuid, now: instant, byMs: bigint },
  text: `update ack_reminders set credited_at = ${sooner('credited_at')},
      due_at = case when due_at > :now then greatest(:now, ${sooner('due_at')}) else due_at end
    where merchant_id = :merchantId`,
})

/**
 * Makes the next reminder of a sandbox merchant's credit due, and moves the time from which the later ones count back.
 * A credit that is not numbered yet, or whose reminders are over, gets its first one.
 */
export const markReminderHastened = query('hasten_ack_reminder', {
  parameters: { merchantId: uuid, paymentId: uuid, now: instant, creditedAt: instant },
  text: `insert into ack_reminders (merchant_id, payment_id, sequence, step, credited_at, due_at)
    select merchant_id, id, sequence, 0, :creditedAt, :now from payments
    where merchant_id = :merchantId and id = :paymentId and acknowledged_at is null
      and status in ('paid', 'disput-paid')
    on conflict (merchant_id, payment_id, sequence) do update
    set credited_at = ${later('ack_reminders.credited_at', "least(:now - ack_reminders.due_at, interval '0')")},
      due_at = least(ack_reminders.due_at, :now)`,
})

export const deleteReminders = query('delete_ack_reminders', {
  rows: reminderKey,
  text: `delete from ack_reminders using :rows
    where ack_reminders.merchant_id = input.merchant_id and ack_reminders.payment_id = input.payment_id
      and ack_reminders.sequence = input.sequence`,
})

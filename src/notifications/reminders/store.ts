import { bigint, instant, integer, jsonb, nullable, query, text, uuid, word } from '../../database/query.ts'
import { sooner } from '../../database/sooner.ts'
import type { Metadata, PaymentStatus, StatusReason } from '../../domain/payment.ts'

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
    metadata: nullable(jsonb<Metadata>()),
    acknowledgedAt: nullable(instant),
  },
  // Excludes acknowledgements until the reminder is stored, so that none is made after the acknowledgement; one that is
  // being acknowledged or changed at the moment is looked at again afterwards.
  text: `select payments.merchant_id, payments.id, payments.order_id, payments.sequence, payments.status,
      payments.status_reason, payments.amount, payments.final_amount, payments.currency, payments.metadata,
      payments.acknowledged_at
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
 * Turns the reminders of a sandbox merchant forward, and the time from which the later ones are counted back, so that they
 * come as much sooner, too.
 */
export const markRemindersTurned = query('turn_ack_reminders', {
  parameters: { merchantId: uuid, now: instant, byMs: bigint },
  text: `update ack_reminders set credited_at = ${sooner('credited_at')},
      due_at = case when due_at > :now then greatest(:now, ${sooner('due_at')}) else due_at end
    where merchant_id = :merchantId`,
})

/**
 * Makes the next reminder of a credit of a sandbox merchant due, and the time from which the later ones are counted sooner.
 * A credit that is not numbered yet, or whose reminders are over, gets its first one.
 */
export const markReminderHastened = query('hasten_ack_reminder', {
  parameters: { merchantId: uuid, paymentId: uuid, now: instant, creditedAt: instant },
  text: `insert into ack_reminders (merchant_id, payment_id, sequence, step, credited_at, due_at)
    select merchant_id, id, sequence, 0, :creditedAt, :now from payments
    where merchant_id = :merchantId and id = :paymentId and acknowledged_at is null
      and status in ('paid', 'disput-paid')
    on conflict (merchant_id, payment_id, sequence) do update
    set credited_at = ack_reminders.credited_at - greatest(ack_reminders.due_at - :now, interval '0'),
      due_at = least(ack_reminders.due_at, :now)`,
})

/** Forgets reminders. */
export const deleteReminders = query('delete_ack_reminders', {
  rows: reminderKey,
  text: `delete from ack_reminders using :rows
    where ack_reminders.merchant_id = input.merchant_id and ack_reminders.payment_id = input.payment_id
      and ack_reminders.sequence = input.sequence`,
})

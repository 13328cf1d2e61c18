import { bigint, instant, integer, jsonb, nullable, query, sooner, table, text, uuid, word } from 'payin-database'
import type { Metadata, PaymentStatus, StatusReason } from '../../../rules/payments/payment.ts'

export const findDueReminder = query('find_due_ack_reminder', {
  parameters: { now: instant },
  row: { id: uuid },
  text: `select id from payments where remind_at <= :now order by remind_at limit 1`,
})

/** Unacknowledged credits whose reminder is due, locked; skips those that another transaction has locked. */
export const lockDueReminders = query('lock_due_ack_reminders', {
  parameters: { now: instant, limit: integer },
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
    remindAt: instant,
    reminders: integer,
  },
  // Excludes acknowledgements until the reminder is stored, so that no reminder follows an acknowledgement; a payment
  // that is being acknowledged or changed is checked again later.
  text: `select merchant_id, id, order_id, sequence, status, status_reason, amount, final_amount, currency, metadata,
      coalesce(remind_at, :now) as remind_at, coalesce(reminders, 0) as reminders from payments
    where remind_at <= :now order by remind_at limit :limit for no key update skip locked`,
})

export const updateReminders = table('payments', { merchantId: uuid, id: uuid }).updateAll('update_ack_reminders', {
  remindAt: nullable(instant),
  reminders: integer,
})

const ofMerchant = `merchant_id = :merchantId and status in ('paid', 'disput-paid') and acknowledged_at is null`

/** Turns the reminders of a sandbox merchant forward; what is then past is due, and the later ones come sooner, too. */
export const markRemindersTurned = query('turn_ack_reminders', {
  parameters: { merchantId: uuid, byMs: bigint },
  text: `update payments set remind_at = ${sooner('remind_at')} where ${ofMerchant} and remind_at is not null`,
})

/** Makes the next reminder of a sandbox merchant's credit due, or the first one again if its reminders are over. */
export const markReminderHastened = query('hasten_ack_reminder', {
  parameters: { merchantId: uuid, paymentId: uuid, now: instant },
  text: `update payments set remind_at = least(remind_at, :now), reminders = case when remind_at is not null then reminders end
    where ${ofMerchant} and id = :paymentId`,
})

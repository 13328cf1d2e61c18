import type { Context, Tx } from '../../context.ts'
import { ackOverdueBody, ackReminderDelaysMs } from '../../../rules/notices/notification.ts'
import { planBounds } from '../../../rules/time.ts'
import { enqueueNotifications } from '../../notifications/enqueue-notifications.ts'
import { bigint, instant, integer, jsonb, nullable, query, sooner, text, uuid, word } from 'payin-database'
import type { Metadata, PaymentStatus, StatusReason } from '../../../rules/payments/payment.ts'

/** Most credits per round. */
const batchSize = 500

const delayOf = (reminders: number): number => ackReminderDelaysMs[reminders] ?? 0

/**
 * Sends `payment.ack-overdue` for credits that are still unacknowledged after 5 minutes, 1 hour and 24 hours; returns
 * how many were due, without those whose payment is being changed at the moment.
 */
export const remindOfAcks = async (context: Context): Promise<number> => {
  // Mostly none is due, and looking needs one round trip instead of three.
  if ((await context.query(findDueReminder, { now: context.clock() })).length === 0) return 0
  return context.transaction(async (tx) => {
    const due = await tx.query(lockDueReminders, { now: tx.now, limit: batchSize })
    const rows = due.map((payment) => {
      const creditedAt = payment.remindAt - delayOf(payment.reminders)
      // A worker that was down sends only one reminder for several missed ones.
      const next = ackReminderDelaysMs.findIndex(
        (delay, index) => index > payment.reminders && creditedAt + delay > tx.now,
      )
      const planned = next < 0 ? { remindAt: null } : { remindAt: creditedAt + delayOf(next), reminders: next }
      return { payment, creditedAt, after: { ...payment, ...planned } }
    })
    enqueueNotifications(
      tx,
      rows.map(({ payment, creditedAt }) => ({
        merchantId: payment.merchantId,
        paymentId: payment.id,
        sequence: payment.sequence,
        kind: 'payment.ack-overdue',
        body: ackOverdueBody(payment, creditedAt, tx.now),
        at: tx.now,
      })),
    )
    await tx.query(updateReminders, { rows: rows.map(({ after }) => after) })
    return due.length
  })
}

/** Lets reminders come now that a clock that was ahead has planned; returns how many. */
export const bringAckRemindersBack = async (context: Context): Promise<number> =>
  (await context.query(correctReminders, planBounds(context.clock(), Math.max(...ackReminderDelaysMs)))).length

/** Turns forward the reminders of a sandbox merchant's unacknowledged credits. */
export const turnReminders = (tx: Tx, merchantId: string, byMs: number): Promise<unknown> =>
  tx.query(markRemindersTurned, { merchantId, byMs: BigInt(byMs) })

/** Sandbox only: makes the next reminder of an unacknowledged credit due now, as if the time until then had passed. */
export const hastenReminder = (tx: Tx, merchantId: string, paymentId: string): Promise<unknown> =>
  tx.query(markReminderHastened, { merchantId, paymentId, now: tx.now })

export const findDueReminder = query('find_due_ack_reminder', {
  parameters: { now: instant },
  row: { id: uuid },
  text: `select id from payments where remind_at <= :now order by remind_at limit 1`,
})

/** Unacknowledged credits whose reminder is due, locked; skips those that another transaction has locked. */
const lockDueReminders = query('lock_due_ack_reminders', {
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

const updateReminders = query('update_ack_reminders', {
  rows: { merchantId: uuid, id: uuid, remindAt: nullable(instant), reminders: integer },
  text: `update payments set remind_at = input.remind_at, reminders = input.reminders from :rows
    where payments.merchant_id = input.merchant_id and payments.id = input.id`,
})

/** Lets reminders after `latest` come now. */
const correctReminders = query('correct_ack_reminders', {
  parameters: { now: instant, latest: instant },
  row: { id: uuid },
  text: `update payments set remind_at = :now where remind_at > :latest returning id`,
})

const ofMerchant = `merchant_id = :merchantId and status in ('paid', 'disput-paid') and acknowledged_at is null`

/** Turns the reminders of a sandbox merchant forward; what is then past is due, and the later ones come sooner, too. */
const markRemindersTurned = query('turn_ack_reminders', {
  parameters: { merchantId: uuid, byMs: bigint },
  text: `update payments set remind_at = ${sooner('remind_at')} where ${ofMerchant} and remind_at is not null`,
})

/** Makes the next reminder of a sandbox merchant's credit due, or the first one again if its reminders are over. */
const markReminderHastened = query('hasten_ack_reminder', {
  parameters: { merchantId: uuid, paymentId: uuid, now: instant },
  text: `update payments set remind_at = least(remind_at, :now), reminders = case when remind_at is not null then reminders end
    where ${ofMerchant} and id = :paymentId`,
})

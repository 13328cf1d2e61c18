import { bringBack } from '../../bring-back.ts'
import type { Context, Tx } from '../../context.ts'
import { ackOverdueBody, ackReminderDelaysMs } from '../../../rules/notices/notification.ts'
import {
  findDueReminder,
  lockDueReminders,
  updateReminders,
  markRemindersTurned,
  markReminderHastened,
} from './store.ts'
import { enqueueNotifications } from '../../notifications/enqueue-notifications.ts'

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
export const bringAckRemindersBack = bringBack('payments', 'remind_at', Math.max(...ackReminderDelaysMs))

/** Turns forward the reminders of a sandbox merchant's unacknowledged credits. */
export const turnReminders = (tx: Tx, merchantId: string, byMs: number): Promise<unknown> =>
  tx.query(markRemindersTurned, { merchantId, byMs: BigInt(byMs) })

/** Sandbox only: makes the next reminder of an unacknowledged credit due now, as if the time until then had passed. */
export const hastenReminder = (tx: Tx, merchantId: string, paymentId: string): Promise<unknown> =>
  tx.query(markReminderHastened, { merchantId, paymentId, now: tx.now })

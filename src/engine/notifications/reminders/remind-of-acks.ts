import type { Context, Tx } from '../../context.ts'
import { ackOverdueBody, ackReminderDelaysMs } from '../../../rules/notices/notification.ts'
import { creditedStatuses, type Payment } from '../../../rules/payments/payment.ts'
import { day, type Instant, mostAheadMs, planBounds, second } from '../../../rules/time.ts'
import { enqueueNotifications } from '../enqueue-notifications.ts'
import {
  correctReminders,
  deleteReminders,
  lockCredits,
  lockDueReminders,
  markReminderHastened,
  planMerchantReminders,
  planReminders,
  updateReminders,
} from './store.ts'

/** Most credits per round. */
const batchSize = 500

/** Most notifications of a merchant that one query scans: usually few are due, and reading the others is wasted. */
const planSize = 20
/** The same for merchants that have more due. */
const largePlanSize = 2000

/** Older credits get no reminder, in case no worker has run that long: nobody waits for one. */
const oldestRemindedMs = 7 * day

const firstDelayMs = ackReminderDelaysMs[0] ?? 0
const longestDelayMs = Math.max(...ackReminderDelaysMs)

const planUntil = (tx: Tx, times: { readonly before: Instant; readonly latest: Instant }, limit: number) => ({
  ...times,
  remindSince: tx.now - oldestRemindedMs,
  remindAfterSeconds: firstDelayMs / second,
  limit,
})

/** Plans the reminders of credits whose first one is due; returns whether there may be more. */
const planDue = (context: Context, limit: number): Promise<boolean> =>
  context.transaction(async (tx) => {
    const times = { before: tx.now - firstDelayMs, latest: tx.now + mostAheadMs }
    const [planned] = await tx.query(planReminders, planUntil(tx, times, limit))
    return planned?.more ?? false
  })

/** Plans the reminders of a merchant's credits, even if none is due yet. */
export const planEarly = async (tx: Tx, merchantId: string): Promise<void> => {
  const plan = { ...planUntil(tx, { before: tx.now, latest: tx.now }, largePlanSize), merchantId }
  while ((await tx.query(planMerchantReminders, plan))[0]?.more);
}

const isOpen = ({ acknowledgedAt, status }: Pick<Payment, 'acknowledgedAt' | 'status'>): boolean =>
  acknowledgedAt === null && creditedStatuses.has(status)

const remindOfDue = (context: Context): Promise<number> =>
  context.transaction(async (tx) => {
    const ready = await tx.query(lockDueReminders, { now: tx.now, limit: batchSize })
    if (ready.length === 0) return 0
    const locked = await tx.query(lockCredits, { rows: ready })
    const byKey = new Map(locked.map((payment) => [`${payment.merchantId} ${payment.id}`, payment]))
    const due = ready.flatMap((row) => {
      const payment = byKey.get(`${row.merchantId} ${row.paymentId}`)
      return payment ? [{ ...row, payment }] : []
    })
    const overdue = due.filter(({ payment, sequence }) => payment.sequence === sequence && isOpen(payment))
    enqueueNotifications(
      tx,
      overdue.map(({ merchantId, paymentId, sequence, payment, creditedAt }) => ({
        merchantId,
        paymentId,
        sequence,
        kind: 'payment.ack-overdue',
        body: ackOverdueBody(payment, creditedAt, tx.now),
        at: tx.now,
      })),
    )
    // A worker that was down sends only one reminder for several missed ones.
    const later = overdue.flatMap((row) => {
      const step = ackReminderDelaysMs.findIndex((delay, index) => index > row.step && row.creditedAt + delay > tx.now)
      return step < 0 ? [] : [{ ...row, step, dueAt: row.creditedAt + (ackReminderDelaysMs[step] ?? 0) }]
    })
    const kept = new Set(later.map((row) => `${row.merchantId} ${row.paymentId} ${row.sequence}`))
    const done = due.filter((row) => !kept.has(`${row.merchantId} ${row.paymentId} ${row.sequence}`))
    await tx.query(updateReminders, { rows: later })
    await tx.query(deleteReminders, { rows: done })
    return due.length
  })

/**
 * Sends `payment.ack-overdue` for credits that are still unacknowledged after 5 minutes, 1 hour and 24 hours; returns
 * how many were due, without those whose payment is being changed at the moment, but more than 0 while there may be
 * more.
 */
export const remindOfAcks = async (context: Context): Promise<number> => {
  // Nearly all credits are acknowledged before their first reminder is due, and never get one.
  const mayBeMore = (await planDue(context, planSize)) && (await planDue(context, largePlanSize))
  const due = await remindOfDue(context)
  return mayBeMore ? Math.max(due, 1) : due
}

/** Lets reminders come now that a clock that was ahead has planned; returns how many. */
export const bringAckRemindersBack = async (context: Context): Promise<number> =>
  (await context.query(correctReminders, planBounds(context.clock(), longestDelayMs))).length

/** Sandbox only: makes the next reminder of an unacknowledged credit due now, as if the time until then had passed. */
export const hastenReminder = (tx: Tx, merchantId: string, paymentId: string): Promise<unknown> =>
  tx.query(markReminderHastened, {
    ...{ merchantId, paymentId, now: tx.now },
    creditedAt: tx.now - firstDelayMs,
  })

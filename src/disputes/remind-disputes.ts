import type { Context } from '../context.ts'
import { nextReminder } from '../domain/dispute.ts'
import { formatInstant } from '../domain/time.ts'
import { lockPayment } from '../payments/lock-payment.ts'
import { readDispute } from './read.ts'
import { listReminders } from './store.ts'
import { writeDispute } from './write-dispute.ts'

/** Most disputes that one round takes. */
const batchSize = 100

/**
 * Reminds operators of disputes that wait: a day before the deadline, at it and then every day, by an event of the
 * dispute and a line in the log. Decides nothing. Returns how many reminders it gave.
 */
export const remindDisputes = async (context: Context): Promise<number> => {
  const due = await context.query(listReminders, { now: context.clock(), limit: batchSize })
  for (const { merchantId, id, paymentId } of due) {
    await context.transaction(async (tx) => {
      await lockPayment(tx, merchantId, paymentId)
      const dispute = await readDispute(tx, merchantId, id)
      if (dispute.decidedAt !== null || dispute.remindAt === null || dispute.remindAt > tx.now) return
      const after = { ...dispute, remindAt: nextReminder(dispute.dueAt, tx.now) }
      await writeDispute(tx, after, { kind: 'reminded', actor: 'service', note: null })
      const overdue = tx.now >= dispute.dueAt
      const line = { merchantId, disputeId: id, dueAt: formatInstant(dispute.dueAt), overdue }
      tx.afterCommit(() => context.log.warn(line, 'a dispute waits for a decision'))
    })
  }
  return due.length
}

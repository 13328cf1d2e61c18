import type { Tx } from '../../context.ts'
import { ackReminderDelaysMs } from '../../domain/notification.ts'
import { markReminderHastened } from './store.ts'

/** Sandbox only: the next reminder of a credit that is not acknowledged is due now, as if the time until then had passed. */
export const hastenReminder = (tx: Tx, merchantId: string, paymentId: string): Promise<unknown> =>
  tx.query(markReminderHastened, {
    ...{ merchantId, paymentId, now: tx.now },
    creditedAt: tx.now - (ackReminderDelaysMs[0] ?? 0),
  })

import type { Context } from '../context.ts'
import { endOfTime } from '../domain/outcome.ts'
import { openStatuses } from '../domain/payment.ts'
import { merchantDirectory } from '../merchants/merchant-directory.ts'
import { startChanges } from './start-changes.ts'
import { lockPayment } from './lock-payment.ts'
import { noteChangedHours } from './hours/note-changed-hours.ts'
import { shortenPayment } from './store.ts'

/** Sandbox only: the payer's time, its grace included, is over now, with all that follows from it. */
export const endPaymentTime = async (context: Context, merchantId: string, id: string): Promise<void> => {
  const merchants = await context.catalog.get(merchantDirectory)
  if (merchants.get(merchantId)?.merchant.mode !== 'sandbox') throw new Error('only sandbox payments end on demand')
  await context.transaction(async (tx) => {
    await tx.query(shortenPayment, { merchantId, id, now: tx.now })
    // Before the payment is read: it may have been closed for long.
    await noteChangedHours(tx, [{ merchantId, id }])
    const payment = await lockPayment(tx, merchantId, id)
    if (!payment || !openStatuses.has(payment.status)) return
    const changes = startChanges(tx, 'service')
    const change = endOfTime(payment, tx.now)
    if (change) changes.change(payment, change)
    await changes.write()
  })
}

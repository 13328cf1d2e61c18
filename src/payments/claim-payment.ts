import type { Context } from '../context.ts'
import { startChanges } from './start-changes.ts'
import { lockPayment } from './lock-payment.ts'

/** The payer says "I have paid": `new` becomes `processing`; in any other status nothing happens. Never moves money. */
export const claimPayment = (context: Context, merchantId: string, id: string): Promise<void> =>
  context.transaction(async (tx) => {
    const payment = await lockPayment(tx, merchantId, id)
    if (payment?.status !== 'new' || tx.now >= payment.expiredAt) return
    const changes = startChanges(tx, 'payer')
    changes.change(payment, { to: 'processing', reason: 'claimed', trigger: 'payer-claimed', claimedAt: tx.now })
    await changes.write()
  })

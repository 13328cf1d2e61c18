import type { Context } from '../context.ts'
import { merchantDirectory } from '../merchants/merchant-directory.ts'
import { lockPayment } from './lock-payment.ts'
import { startChanges } from './start-changes.ts'

/** Sandbox only: closes a payment that is new, as if its requisite were lost; any other stays as it is. */
export const failPayment = async (context: Context, merchantId: string, id: string): Promise<void> => {
  const merchants = await context.catalog.get(merchantDirectory)
  if (merchants.get(merchantId)?.merchant.mode !== 'sandbox') throw new Error('only sandbox payments fail on demand')
  await context.transaction(async (tx) => {
    const payment = await lockPayment(tx, merchantId, id)
    if (payment?.status !== 'new') return
    const changes = startChanges(tx, 'service')
    changes.change(payment, { to: 'failed', reason: 'requisite-lost', trigger: 'service-closed' })
    await changes.write()
  })
}

import type { Tx } from '../context.ts'
import { lockHoldersOf } from './lock-candidates.ts'
import { startChanges } from './start-changes.ts'

/** Closes as `failed` the payments that hold a slot on a retired requisite which their payers have not seen yet. */
export const failUnshownPayments = async (tx: Tx, requisiteId: string): Promise<void> => {
  const changes = startChanges(tx, 'service')
  for (const { payment } of await lockHoldersOf(tx, requisiteId, tx.now)) {
    if (payment.status !== 'new' || payment.requisiteShown) continue
    changes.change(payment, { to: 'failed', reason: 'requisite-lost', trigger: 'service-closed' })
  }
  await changes.write()
}

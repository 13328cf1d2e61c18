import type { Tx } from '../context.ts'
import { lockCandidates } from './lock-candidates.ts'
import { startChanges } from './start-changes.ts'

/** Closes as `failed` the payments that hold a slot on a retired requisite which their payers have not seen yet. */
export const failUnshownPayments = async (tx: Tx, requisiteId: string): Promise<void> => {
  const candidates = await lockCandidates(tx, [requisiteId], tx.now, tx.now)
  const changes = startChanges(tx, 'service')
  for (const { payment } of candidates.get(requisiteId) ?? []) {
    if (payment.status !== 'new' || payment.requisiteShown) continue
    changes.change(payment, { to: 'failed', reason: 'requisite-lost', trigger: 'service-closed' })
  }
  await changes.write()
}

import type { Context } from '../context.ts'
import { endOfTime } from '../domain/outcome.ts'
import { startChanges } from './start-changes.ts'
import { listDuePayments, lockPayments } from './store.ts'

/** Most payments that one call takes. */
const batchSize = 500

/**
 * Moves payments on whose time has ended: `expired` without money, credited or disputed with part of it. Money that was
 * recorded before is always counted, because it is written under the same row lock. Returns how many it took.
 */
export const expirePayments = (context: Context): Promise<number> =>
  context.transaction(async (tx) => {
    const due = await tx.query(listDuePayments, { now: tx.now, limit: batchSize })
    if (due.length === 0) return 0
    const payments = await tx.query(lockPayments, { rows: due })
    const changes = startChanges(tx, 'service')
    for (const payment of payments) {
      const change = endOfTime(payment, tx.now)
      if (change) changes.change(payment, change)
    }
    await changes.write()
    return due.length
  })

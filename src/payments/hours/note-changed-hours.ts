import type { Tx } from '../../context.ts'
import { day, type Instant } from '../../domain/time.ts'
import { hourOf } from '../../domain/payment-totals.ts'
import { instantOfId } from '../../domain/uuid-bounds.ts'
import { insertChanges } from './store.ts'

/** The youngest payments whose changes are noted; hours are counted a day later, when no such change is under way. */
const notedAfterMs = day

/** The time by which the hours of payments may be counted: whatever changes them from now on notes it. */
export const countableUntil = (now: Instant): Instant => hourOf(now - 2 * notedAfterMs)

type Changed = { readonly merchantId: string; readonly id: string }

/** Notes that payments have changed whose hours may be counted already; of younger ones it writes nothing. */
export const noteChangedHours = async (tx: Tx, payments: readonly Changed[]): Promise<void> => {
  const hours = new Map<string, { merchantId: string; hour: Instant }>()
  for (const { merchantId, id } of payments) {
    const createdAt = instantOfId(id)
    if (createdAt >= tx.now - notedAfterMs) continue
    const hour = hourOf(createdAt)
    hours.set(`${merchantId} ${hour}`, { merchantId, hour })
  }
  if (hours.size === 0) return
  await tx.query(insertChanges, { rows: [...hours.values()].map((each) => ({ id: tx.newId(), ...each })) })
}

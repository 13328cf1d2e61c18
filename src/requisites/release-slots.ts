import type { Tx } from '../context.ts'
import type { Instant } from '../domain/time.ts'
import { markReleased } from './store.ts'

/** Sets until when payments hold their slots; slots that others hold meanwhile stay as they are. */
export const releaseSlots = async (
  tx: Tx,
  slots: readonly {
    readonly requisiteId: string
    readonly amount: bigint
    readonly paymentId: string
    readonly heldUntil: Instant
  }[],
): Promise<void> => {
  if (slots.length === 0) return
  await tx.query(markReleased, { rows: slots })
}

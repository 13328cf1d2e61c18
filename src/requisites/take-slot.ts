import type { Tx } from '../context.ts'
import type { Requisite, RequisiteWish } from '../domain/requisite.ts'
import type { Instant } from '../domain/time.ts'
import { startAllocation } from './start-allocation.ts'
import type { RequisitePool } from './requisite-pool.ts'
import { insertSlot } from './store.ts'

/** How often a slot that another node took first is replaced by the next candidate. */
const maxTries = 6

/** Takes a slot for a payment that exists, on a requisite as the wish wants it; `undefined` when none is free. */
export const takeSlot = async (
  tx: Tx,
  pool: RequisitePool,
  wish: RequisiteWish,
  holder: { readonly paymentId: string; readonly heldUntil: Instant },
): Promise<Requisite | undefined> => {
  const allocator = await startAllocation(pool, [wish], tx.now, tx)
  await allocator.learnTaken(tx, [wish])
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const requisite = allocator.allocate(wish)?.requisite
    if (!requisite) return undefined
    const { merchantId, amount } = wish
    const slot = { requisiteId: requisite.id, amount, merchantId, takenAt: tx.now, ...holder }
    if ((await tx.query(insertSlot, slot)).length > 0) return requisite
  }
  return undefined
}

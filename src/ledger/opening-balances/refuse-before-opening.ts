import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { listOpenings } from './read.ts'

/**
 * Refuses `validation_failed` for movements on accounts that were booked before their opening balance: it has their money
 * already. `field` is their name in the request.
 */
export const refuseBeforeOpening = async (
  tx: Tx,
  movements: readonly { readonly requisiteId: string; readonly bookedAt: Instant; readonly field: string }[],
): Promise<void> => {
  const openings = await listOpenings(
    tx,
    movements.map((each) => each.requisiteId),
  )
  const errors = movements.flatMap(({ requisiteId, bookedAt, field }) => {
    const opening = openings.get(requisiteId)
    if (!opening || bookedAt >= opening.beginsAt) return []
    const message = `is before the opening balance of ${opening.day}, which has this money: set the balance of an earlier day first.`
    return [{ field, code: 'validation_failed', message }]
  })
  if (errors.length > 0)
    throw new Refusal('validation_failed', 'Something is before an opening balance; nothing was recorded.', { errors })
}

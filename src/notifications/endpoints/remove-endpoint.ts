import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { holdNumbering } from '../number-notifications.ts'
import { lockEndpoint } from './read.ts'
import { markRemoved } from './store.ts'
import { announceEndpoints } from './announce-endpoints.ts'

/**
 * Removes an endpoint for good, with all that waits for it. Refusals: `resource_not_found`, `invalid_state` for a merchant
 * that removes what an operator has disabled.
 */
export const removeEndpoint = async (
  tx: Tx,
  merchantId: string,
  id: string,
  by: 'merchant' | 'operator',
): Promise<void> => {
  await holdNumbering(tx, merchantId)
  const { disabledReason } = await lockEndpoint(tx, merchantId, id)
  if (disabledReason === 'operator' && by === 'merchant') {
    throw new Refusal(
      'invalid_state',
      'The operator of the service has disabled this endpoint, and alone can remove it.',
    )
  }
  await tx.query(markRemoved, { merchantId, id })
  announceEndpoints(tx)
}

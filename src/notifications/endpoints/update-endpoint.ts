import type { Tx } from '../../context.ts'
import { type Endpoint, type EndpointPolicy, type EndpointWish, readEndpointUrl } from '../../domain/endpoint.ts'
import { Refusal } from '../../domain/refusal.ts'
import { holdNumbering } from '../number-notifications.ts'
import { findEndpoint, lockEndpoint } from './read.ts'
import { findMode, forgetFailures, updateEndpointRow } from './store.ts'
import { announceEndpoints } from './announce-endpoints.ts'

/** A change of an endpoint; what is left out stays as it is. */
export type EndpointChange = Partial<EndpointWish> & {
  readonly enabled?: boolean
  /** Who makes the change, as `disabledReason` shows it. */
  readonly by: 'merchant' | 'operator'
}

/**
 * Changes an endpoint. One that is enabled again gets what is still waiting and all new notifications; what it missed
 * meanwhile can be redelivered. Refusals: `resource_not_found`, `validation_failed` for its address, `invalid_state` for a
 * merchant that enables what an operator has disabled.
 */
export const updateEndpoint = async (
  tx: Tx,
  policy: EndpointPolicy,
  key: { readonly merchantId: string; readonly id: string },
  change: EndpointChange,
): Promise<{ readonly before: Endpoint; readonly after: Endpoint }> => {
  const { merchantId, id } = key
  const lastPosition = await holdNumbering(tx, merchantId)
  const before = await lockEndpoint(tx, merchantId, id)
  const [merchant] = await tx.query(findMode, { merchantId })
  const url = change.url === undefined ? before.url : readEndpointUrl(change.url, merchant?.mode ?? 'live', policy)
  if (url instanceof Refusal) throw url
  const status = change.enabled === undefined ? before.status : change.enabled ? 'enabled' : 'disabled'
  if (change.enabled && before.disabledReason === 'operator' && change.by === 'merchant') {
    throw new Refusal(
      'invalid_state',
      'The operator of the service has disabled this endpoint, and alone can enable it.',
    )
  }
  const isNewlyDisabled =
    status === 'disabled' && (before.status === 'enabled' || (change.by === 'operator' && change.enabled === false))
  const isNewlyEnabled = status === 'enabled' && before.status === 'disabled'
  await tx.query(updateEndpointRow, {
    merchantId,
    id,
    url,
    description: change.description ?? before.description,
    kinds: change.kinds ?? before.kinds,
    status,
    disabledReason: status === 'enabled' ? null : isNewlyDisabled ? change.by : before.disabledReason,
    disabledAt: status === 'enabled' ? null : isNewlyDisabled ? tx.now : before.disabledAt,
    queuedAfter: isNewlyEnabled || change.kinds !== undefined ? lastPosition : null,
  })
  // Failures before the change must not count for the endpoint as it is now.
  if (isNewlyEnabled || url !== before.url) await tx.query(forgetFailures, { merchantId, id, now: tx.now })
  announceEndpoints(tx)
  return { before, after: await findEndpoint(tx, merchantId, id) }
}

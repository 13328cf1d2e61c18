import type { Context, Tx } from '../../context.ts'
import {
  type EndpointPolicy,
  type EndpointWish,
  maxEndpoints,
  readEndpointUrl,
} from '../../../rules/notices/endpoint.ts'
import { endpointTestBody } from '../../../rules/notices/notification.ts'
import { invalidState, Refusal, requireRow } from '../../../rules/refusal.ts'
import { formatInstant } from '../../../rules/time.ts'
import { sealedText } from '../../../secrets/sealed-text.ts'
import type { SealedTable } from '../../../secrets/vault.ts'
import { newWebhookSecret } from '../../../secrets/webhook-secret.ts'
import { holdQueueing } from '../deliveries/queueing/queue-deliveries.ts'
import { enqueueNotifications } from '../enqueue-notifications.ts'
import { type Endpoint, findEndpoint, lockEndpoint, requireEnabled } from './read.ts'
import {
  findMode,
  forgetFailures,
  insertEndpoint,
  markDisabled,
  markRemoved,
  replaceSecret,
  selectEndpoints,
  updateEndpointRow,
} from './store.ts'

/** The key on the change bus that announces changed endpoints. */
export const endpointsKey = 'endpoints'

/** Makes delivering processes read the endpoint again, once the transaction is committed. */
const announceEndpoints = (tx: Tx): void => tx.afterCommit(() => tx.changes.publish([endpointsKey]))

/** A new or replaced secret, which is shown only this once. */
export type WithSecret = { readonly endpoint: Endpoint; readonly secret: string }

/**
 * Adds an enabled endpoint that gets all notifications from now on. Refusals: `resource_not_found` if the merchant does
 * not exist, `validation_failed` for its address, `invalid_state` if the merchant already has the most endpoints.
 */
export const createEndpoint = async (
  tx: Tx,
  policy: EndpointPolicy,
  merchantId: string,
  wish: EndpointWish,
): Promise<WithSecret> => {
  const merchant = requireRow(await tx.query(findMode, { merchantId }), 'merchant')
  const url = readEndpointUrl(wish.url, merchant.mode, policy)
  if (url instanceof Refusal) throw url
  const queuedAfter = await holdQueueing(tx, merchantId)
  if ((await tx.query(selectEndpoints, { merchantId })).length >= maxEndpoints) {
    throw invalidState(`There are already ${maxEndpoints} endpoints; remove one first.`)
  }
  const id = tx.newId()
  const secret = newWebhookSecret()
  const secretSealed = endpointSecret.seal(tx.vault, id, secret)
  const row = { ...wish, url, merchantId, id, status: 'enabled', queuedAfter, secretSealed, createdAt: tx.now } as const
  await tx.query(insertEndpoint, row)
  return { endpoint: await findEndpoint(tx, merchantId, id), secret }
}

/** A change of an endpoint; what is left out stays as it is. */
export type EndpointChange = Partial<EndpointWish> & {
  readonly enabled?: boolean
  /** Who makes the change, as shown in `disabledReason`. */
  readonly by: 'merchant' | 'operator'
}

/**
 * Changes an endpoint. One that is enabled again gets what is still waiting and all new notifications; what it missed
 * meanwhile can be redelivered. Refusals: `resource_not_found`, `validation_failed` for its address, `invalid_state` if
 * a merchant enables what an operator has disabled.
 */
export const updateEndpoint = async (
  tx: Tx,
  policy: EndpointPolicy,
  key: { readonly merchantId: string; readonly id: string },
  change: EndpointChange,
): Promise<{ readonly before: Endpoint; readonly after: Endpoint }> => {
  const { merchantId, id } = key
  const lastQueued = await holdQueueing(tx, merchantId)
  const before = await lockEndpoint(tx, merchantId, id)
  const [merchant] = await tx.query(findMode, { merchantId })
  const url = change.url === undefined ? before.url : readEndpointUrl(change.url, merchant?.mode ?? 'live', policy)
  if (url instanceof Refusal) throw url
  const status = change.enabled === undefined ? before.status : change.enabled ? 'enabled' : 'disabled'
  if (change.enabled && before.disabledReason === 'operator' && change.by === 'merchant') {
    throw invalidState('The operator of the service has disabled this endpoint; only an operator can enable it.')
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
    queuedAfter: isNewlyEnabled || change.kinds !== undefined ? lastQueued : null,
  })
  // Failures before the change must not count for the endpoint as it is now.
  if (isNewlyEnabled || url !== before.url) await tx.query(forgetFailures, { merchantId, id, now: tx.now })
  announceEndpoints(tx)
  return { before, after: await findEndpoint(tx, merchantId, id) }
}

/**
 * Disables an endpoint whose address is gone or keeps failing, and warns the operator in the log. An endpoint whose
 * address has changed meanwhile stays as it is.
 */
export const disableEndpoint = async (
  context: Context,
  endpoint: Pick<Endpoint, 'merchantId' | 'id' | 'url'>,
  reason: 'gone' | 'failing',
): Promise<void> => {
  const rows = await context.query(markDisabled, { ...endpoint, reason, now: context.clock() })
  if (rows.length === 0) return
  const { merchantId, id: endpointId, url } = endpoint
  const alert = { alert: 'endpoint-disabled', merchantId, endpointId, host: URL.parse(url)?.host, reason }
  context.log.warn(alert, 'a notification endpoint was disabled')
}

/**
 * Removes an endpoint for good, with all that waits for it. Refusals: `resource_not_found`, `invalid_state` if a
 * merchant removes what an operator has disabled.
 */
export const removeEndpoint = async (
  tx: Tx,
  merchantId: string,
  id: string,
  by: 'merchant' | 'operator',
): Promise<void> => {
  await holdQueueing(tx, merchantId)
  const { disabledReason } = await lockEndpoint(tx, merchantId, id)
  if (disabledReason === 'operator' && by === 'merchant') {
    throw invalidState('The operator of the service has disabled this endpoint; only an operator can remove it.')
  }
  await tx.query(markRemoved, { merchantId, id })
  announceEndpoints(tx)
}

/**
 * Gives an endpoint a new secret. For `overlapMs` both secrets sign every notification, so that the receiver can switch
 * in that time; with 0 only the new one signs, including what is already waiting. Refusals: `resource_not_found`;
 * `invalid_state` while the previous secret still signs, except with 0. Otherwise, repeating a call whose answer was
 * lost would end the secret that the receiver has, in favour of one that nobody knows.
 */
export const rotateSecret = async (tx: Tx, merchantId: string, id: string, overlapMs: number): Promise<WithSecret> => {
  const { previousSecretUntil: until } = await lockEndpoint(tx, merchantId, id)
  if (overlapMs > 0 && until !== null && until > tx.now) {
    const message = `The secret was already replaced; the previous one signs until ${formatInstant(until)}. Wait until then, or replace it now with overlapMs 0 (payin endpoints rotate --overlap 0): then only the new one signs.`
    throw invalidState(message)
  }
  const secret = newWebhookSecret()
  const previousUntil = overlapMs > 0 ? tx.now + overlapMs : null
  await tx.query(replaceSecret, {
    merchantId,
    id,
    secretSealed: endpointSecret.seal(tx.vault, id, secret),
    previousUntil,
  })
  announceEndpoints(tx)
  return { endpoint: await findEndpoint(tx, merchantId, id), secret }
}

/** The secret that signs what an endpoint gets. */
export const endpointSecret = sealedText('notification_endpoints', 'secret')

/** The secrets that sign notifications. */
export const sealedEndpoints: SealedTable = {
  table: 'notification_endpoints',
  key: { merchant_id: 'uuid', id: 'uuid' },
  columns: [
    { name: 'secret_sealed', locatedAs: 'secret' },
    { name: 'previous_secret_sealed', locatedAs: 'secret' },
  ],
}

/**
 * Sends an `endpoint.test` to one endpoint, whatever kinds it subscribes to, before waiting deliveries and even during
 * a pause, and returns the id of the event. Refusals: `resource_not_found`, `invalid_state` while it is disabled.
 */
export const testEndpoint = async (tx: Tx, merchantId: string, id: string): Promise<string> => {
  await requireEnabled(tx, merchantId, id)
  const test = { paymentId: null, sequence: null, endpointId: id, kind: 'endpoint.test' }
  const [eventId] = enqueueNotifications(tx, [{ ...test, merchantId, body: endpointTestBody(id, tx.now), at: tx.now }])
  return eventId ?? ''
}

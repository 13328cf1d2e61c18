import type { Tx } from '../../context.ts'
import {
  type Endpoint,
  type EndpointPolicy,
  type EndpointWish,
  maxEndpoints,
  readEndpointUrl,
} from '../../domain/endpoint.ts'
import { Refusal } from '../../domain/refusal.ts'
import { holdNumbering } from '../number-notifications.ts'
import { newWebhookSecret } from '../../secrets/webhook-secret.ts'
import { findEndpoint } from './read.ts'
import { sealSecret } from './seal-secret.ts'
import { findMode, insertEndpoint, selectEndpoints } from './store.ts'

/** A new or replaced secret, to be shown this once. */
export type WithSecret = { readonly endpoint: Endpoint; readonly secret: string }

/**
 * Adds an endpoint, enabled, that gets all notifications from now on. Refusals: `resource_not_found` without the merchant,
 * `validation_failed` for its address, `invalid_state` beyond the most endpoints of a merchant.
 */
export const createEndpoint = async (
  tx: Tx,
  policy: EndpointPolicy,
  merchantId: string,
  wish: EndpointWish,
): Promise<WithSecret> => {
  const [merchant] = await tx.query(findMode, { merchantId })
  if (!merchant) throw new Refusal('resource_not_found', 'There is no such merchant.')
  const url = readEndpointUrl(wish.url, merchant.mode, policy)
  if (url instanceof Refusal) throw url
  const queuedAfter = await holdNumbering(tx, merchantId)
  if ((await tx.query(selectEndpoints, { merchantId })).length >= maxEndpoints) {
    throw new Refusal('invalid_state', `There are already ${maxEndpoints} endpoints; remove one first.`)
  }
  const id = tx.newId()
  const secret = newWebhookSecret()
  await tx.query(insertEndpoint, {
    ...wish,
    url,
    merchantId,
    id,
    queuedAfter,
    secretSealed: sealSecret(tx.vault, id, secret),
    createdAt: tx.now,
  })
  return { endpoint: await findEndpoint(tx, merchantId, id), secret }
}

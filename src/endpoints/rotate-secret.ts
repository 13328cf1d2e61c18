import type { Tx } from '../context.ts'
import { newWebhookSecret } from '../secrets/webhook-secret.ts'
import type { WithSecret } from './create-endpoint.ts'
import { findEndpoint } from './find-endpoint.ts'
import { sealSecret } from './seal-secret.ts'
import { replaceSecret } from './store.ts'
import { tellOfEndpoints } from './tell-of-endpoints.ts'

/**
 * Gives an endpoint a new secret; for `overlapMs` every notification is signed with both, so that the receiver can change
 * over at any time in between; with 0 only the new one signs, also what waits already. Refuses `resource_not_found`.
 */
export const rotateSecret = async (tx: Tx, merchantId: string, id: string, overlapMs: number): Promise<WithSecret> => {
  await findEndpoint(tx, merchantId, id)
  const secret = newWebhookSecret()
  const previousUntil = overlapMs > 0 ? tx.now + overlapMs : null
  await tx.query(replaceSecret, { merchantId, id, secretSealed: sealSecret(tx.vault, id, secret), previousUntil })
  tellOfEndpoints(tx)
  return { endpoint: await findEndpoint(tx, merchantId, id), secret }
}

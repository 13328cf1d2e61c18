import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { formatInstant } from '../../domain/time.ts'
import { newWebhookSecret } from '../../secrets/webhook-secret.ts'
import type { WithSecret } from './create-endpoint.ts'
import { findEndpoint, lockEndpoint } from './read.ts'
import { sealSecret } from './seal-secret.ts'
import { replaceSecret } from './store.ts'
import { announceEndpoints } from './announce-endpoints.ts'

/**
 * Gives an endpoint a new secret. For `overlapMs` every notification is signed with both, so that the receiver can change
 * over in between; with 0 only the new one signs, including what is already waiting. Refusals: `resource_not_found`;
 * `invalid_state` while the previous secret still signs, except with 0: repeating a call whose answer was lost would end
 * the secret that the receiver has, for one that nobody knows.
 */
export const rotateSecret = async (tx: Tx, merchantId: string, id: string, overlapMs: number): Promise<WithSecret> => {
  const { previousSecretUntil: until } = await lockEndpoint(tx, merchantId, id)
  if (overlapMs > 0 && until !== null && until > tx.now) {
    const message = `The secret was replaced already; the one before it signs until ${formatInstant(until)}. Wait until then, or replace it at once with overlapMs 0 (payin endpoints rotate --overlap 0): then only the new one signs.`
    throw new Refusal('invalid_state', message)
  }
  const secret = newWebhookSecret()
  const previousUntil = overlapMs > 0 ? tx.now + overlapMs : null
  await tx.query(replaceSecret, { merchantId, id, secretSealed: sealSecret(tx.vault, id, secret), previousUntil })
  announceEndpoints(tx)
  return { endpoint: await findEndpoint(tx, merchantId, id), secret }
}

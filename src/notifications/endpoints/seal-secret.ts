import type { Vault } from '../../secrets/vault.ts'
import { type WebhookKey, webhookKey } from '../../secrets/webhook-secret.ts'

const location = (endpointId: string) => ({ table: 'notification_endpoints', column: 'secret', row: endpointId })

/** Seals the signing secret of an endpoint. */
export const sealSecret = (vault: Vault, endpointId: string, secret: string): string =>
  vault.encrypt(secret, location(endpointId))

/** The key of a secret that `sealSecret` sealed. */
export const openSigningKey = (vault: Vault, endpointId: string, sealed: string): WebhookKey =>
  webhookKey(vault.decrypt(sealed, location(endpointId)))

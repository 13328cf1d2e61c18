import { createHmac } from 'node:crypto'

const prefix = 'whsec_'

/**
 * The value of `webhook-signature` (Standard Webhooks): for each secret `v1,` and the HMAC-SHA256 in Base64 over
 * `id.timestamp.body`, separated by spaces. `timestamp` is in seconds.
 */
export const signWebhook = (secrets: readonly string[], id: string, timestamp: number, body: string): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')

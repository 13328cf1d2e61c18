import { createHmac, type KeyObject } from 'node:crypto'

/**
 * The value of `webhook-signature` (Standard Webhooks): for each key `v1,` and the HMAC-SHA256 in Base64 over
 * `id.timestamp.body`, separated by spaces. `timestamp` is in seconds.
 */
export const signWebhook = (keys: readonly KeyObject[], id: string, timestamp: number, body: string): string => {
  const signed = `${id}.${timestamp}.${body}`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ')
}

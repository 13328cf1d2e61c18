import { createHmac } from 'node:crypto'
import { generateAccessToken } from './access-token.ts'
import { equalTexts } from './hashes.ts'

/** A new key of a bank feed, to be shown once: `payin_feed_` and 36 characters with 178 random bits. */
export const generateFeedKey = (): { readonly key: string; readonly prefix: string } => {
  const key = generateAccessToken('ops').token.replace('payin_ops_', 'payin_feed_')
  return { key, prefix: key.slice(0, 16) }
}

/** The signature of a push: hex HMAC-SHA-256 of its timestamp, a dot and its body, under the key of its source. */
const signPush = (key: string, timestamp: string, body: Uint8Array): string =>
  createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex')

/** Whether a signature belongs to a push; takes the same time for every wrong one. */
export const isPushSigned = (key: string, timestamp: string, body: Uint8Array, signature: string): boolean =>
  equalTexts(signPush(key, timestamp, body), signature)

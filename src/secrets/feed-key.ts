import { createHmac } from 'node:crypto'
import { equalTexts } from './hashes.ts'

/** The signature of a push: hex HMAC-SHA-256 of its timestamp, a dot and its body, under the key of its source. */
const signPush = (key: string, timestamp: string, body: Uint8Array): string =>
  createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex')

/** Whether a signature belongs to a push; takes the same time for every wrong one. */
export const isPushSigned = (key: string, timestamp: string, body: Uint8Array, signature: string): boolean =>
  equalTexts(signPush(key, timestamp, body), signature)

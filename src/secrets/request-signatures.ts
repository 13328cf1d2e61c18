import { createHmac } from 'node:crypto'
import { equalTexts } from './hashes.ts'

/** Whether a request names the secret itself; takes the same time for every wrong one. */
export const isPhoneSecret = (secret: string, given: string): boolean => equalTexts(secret, given)

/** Whether SMS Gateway has signed these bytes: hex HMAC-SHA-256 of the body and the time in its header. */
export const isSignedBySmsGate = (secret: string, timestamp: string, body: Uint8Array, signature: string): boolean =>
  equalTexts(createHmac('sha256', secret).update(body).update(timestamp).digest('hex'), signature)

/**
 * Whether SmsForwarder knows the secret: Base64 HMAC-SHA-256 of its time and the secret. That does not cover what it
 * sends; the body is protected by the connection alone.
 */
export const isSignedBySmsForwarder = (secret: string, timestamp: string, signature: string): boolean =>
  equalTexts(createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64'), signature)

/** The signature of a push: hex HMAC-SHA-256 of its timestamp, a dot and its body, under the key of its source. */
const signPush = (key: string, timestamp: string, body: Uint8Array): string =>
  createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex')

/** Whether a signature belongs to a push; takes the same time for every wrong one. */
export const isPushSigned = (key: string, timestamp: string, body: Uint8Array, signature: string): boolean =>
  equalTexts(signPush(key, timestamp, body), signature)

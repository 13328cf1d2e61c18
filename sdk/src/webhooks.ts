import type { Events } from './api.ts'

/** A verified notification; its `type` determines its `data`. */
export type Notification = Events[keyof Events]

/** The notification is not from Payin, or too old. Answer 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

/** What is needed to verify a notification. */
export type Delivery = {
  /** The body as received, not parsed: any changed byte makes the signature wrong. */
  readonly body: string | Uint8Array | ArrayBuffer
  /** The headers, of Node.js or of `fetch`. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The endpoint's secret, `whsec_…`; several while you replace it. */
  readonly secret: string | readonly string[]
  /** How old a notification may be, in milliseconds. Default: five minutes. */
  readonly toleranceMs?: number
}

const headerOf = (headers: Delivery['headers'], name: string): string => {
  const given =
    typeof headers?.get === 'function'
      ? (headers as Headers).get(name)
      : Object.entries(headers ?? {}).find(([each]) => each.toLowerCase() === name)?.[1]
  // Some frameworks give a list of values.
  const value = [given ?? ''].flat().join(' ')
  if (value === '') throw new WebhookError(`the header ${name} is missing`)
  return value
}

/** A body that `express.json()` has parsed cannot be checked: its bytes are gone. */
const bodyBytes = (body: Delivery['body']): Uint8Array => {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  // `instanceof` does not know the arrays of another realm, such as those of Jest.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body)
  const kind = body === null ? 'null' : Array.isArray(body) ? 'an array' : typeof body
  throw new WebhookError(
    `the body is ${kind}: pass the bytes as received, because the signature covers them; in Express, put express.raw({ type: '*/*' }) on this route, before any express.json()`,
  )
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

/** The keys of secrets; a variable of the environment that is not set gives none. */
const keysOf = (secret: Delivery['secret']): Uint8Array<ArrayBuffer>[] => {
  const given: unknown[] = [secret].flat()
  const texts = given.filter((each) => typeof each === 'string')
  const usable = texts.map((each) => bytesOf(each.replace(/^whsec_/, ''))).filter(({ length }) => length > 0)
  if (usable.length === 0) throw new WebhookError('the secret is missing, or not a secret of an endpoint (whsec_…)')
  return usable
}

/** Node.js 18 has the Web Crypto API only as a module. */
const webCrypto = async (): Promise<typeof globalThis.crypto.subtle> => {
  if ('crypto' in globalThis) return globalThis.crypto.subtle
  const name: string = 'node:crypto'
  const { webcrypto } = (await import(name)) as { readonly webcrypto: typeof globalThis.crypto }
  return webcrypto.subtle
}

const join = (head: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const first = new TextEncoder().encode(head)
  const joined = new Uint8Array(first.length + body.length)
  joined.set(first)
  joined.set(body, first.length)
  return joined
}

/**
 * Checks the signature and the age of a notification (Standard Webhooks), and returns it parsed; throws `WebhookError`
 * if either is wrong. The same event may come more than once: its id is the header `webhook-id`.
 */
export const verify = async ({ body, headers, secret, toleranceMs = 300_000 }: Delivery): Promise<Notification> => {
  const bytes = bodyBytes(body)
  const keys = keysOf(secret)
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const ageMs = Math.abs(Date.now() - Number(timestamp) * 1000)
  if (!(ageMs <= toleranceMs)) throw new WebhookError('the notification is too old, or your clock is wrong')
  const signed = join(`${id}.${timestamp}.`, bytes)
  const given = headerOf(headers, 'webhook-signature')
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .map((each) => bytesOf(each.slice(3)))
  const subtle = await webCrypto()
  for (const raw of keys) {
    const key = await subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    // `verify` compares in constant time.
    for (const signature of given)
      if (await subtle.verify('HMAC', key, signature, signed)) return JSON.parse(new TextDecoder().decode(bytes))
  }
  throw new WebhookError('the signature is wrong: the secret is another one, or the body is not as received')
}

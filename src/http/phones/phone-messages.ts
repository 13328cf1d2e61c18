import rateLimit from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { findForwarder } from '../../engine/phones/phones.ts'
import { receiveMessages } from '../../engine/phones/receive-messages.ts'
import { Type } from '../../operations/schema.ts'
import type { Phone } from '../../engine/phones/phones.ts'
import { Refusal } from '../../rules/refusal.ts'
import { isPhoneSecret, isSignedBySmsForwarder, isSignedBySmsGate } from '../../secrets/request-signatures.ts'
import { refuseBrowser } from '../access/auth.ts'
import { loneOfPhone } from '../access/lone-phone.ts'
import { takeReporterTurns } from '../access/take-turns.ts'
import { parseJsonBody } from '../routes/json-body.ts'
import { routesForAll } from '../routes/routes.ts'
import { readPayload } from './read-payload.ts'

const maxBytes = 256 * 1024

const header = ({ headers }: FastifyRequest, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/** The secret that a request names: in its address, as a bearer, as the password of `Basic`, or in a header of its own. */
const namedSecret = (request: FastifyRequest): string => {
  const { secret } = request.params as { secret?: string }
  if (secret !== undefined) return secret
  const authorization = header(request, 'authorization')
  const [, bearer] = /^Bearer (\S{1,200})$/i.exec(authorization) ?? []
  if (bearer !== undefined) return bearer
  const [, basic] = /^Basic ([A-Za-z0-9+/=]{1,400})$/i.exec(authorization) ?? []
  if (basic !== undefined)
    return Buffer.from(basic, 'base64')
      .toString()
      .replace(/^[^:]*:/, '')
  return header(request, 'payin-secret')
}

const decodeAgain = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** SmsForwarder encodes its signature once more than its form does. */
const isSignedFields = (secret: string, body: unknown): boolean => {
  const { timestamp, sign } = (body ?? {}) as { timestamp?: unknown; sign?: unknown }
  return typeof sign === 'string' && isSignedBySmsForwarder(secret, String(timestamp), decodeAgain(sign))
}

const unsigned = (): Refusal =>
  new Refusal('signature_invalid', 'The request has not the secret of its phone, or is not signed with it.')

/** What a body says, as JSON or as the fields of a form; apps do not always say which. Refuses `malformed_json`. */
export const parsePhoneBody = (bytes: Buffer): unknown =>
  /^\s*[[{]/.test(bytes.subarray(0, 100).toString('latin1'))
    ? parseJsonBody(bytes)
    : Object.fromEntries(new URLSearchParams(bytes.toString()))

const phones = new WeakMap<FastifyRequest, Phone>()

/** The phone that sends a request. The refusal is the same whatever is wrong, so it reveals nothing about phones. */
const authenticate = async (context: Context, request: FastifyRequest): Promise<Phone> => {
  refuseBrowser(request)
  const { body } = request
  const { id } = request.params as { id: string }
  const found = await findForwarder(context, id)
  if (!found || !Buffer.isBuffer(body)) throw unsigned()
  const { phone, secret } = found
  const [timestamp, signature] = [header(request, 'x-timestamp'), header(request, 'x-signature')]
  if (phone.app === 'smsgate') {
    // Not by age: the app tries for two days. What comes again is recognised.
    if (!isSignedBySmsGate(secret, timestamp, body, signature)) throw unsigned()
    request.body = parsePhoneBody(body)
    return phone
  }
  const isNamed = isPhoneSecret(secret, namedSecret(request))
  if (!isNamed && phone.app !== 'smsforwarder') throw unsigned()
  request.body = parsePhoneBody(body)
  if (!isNamed && !isSignedFields(secret, request.body)) throw unsigned()
  return phone
}

const handle = async (context: Context, request: FastifyRequest) => {
  const phone = phones.get(request)
  if (!phone) throw unsigned()
  const { messages, battery } = readPayload(request.body)
  await receiveMessages(context, phone.id, messages, { battery, findLone: loneOfPhone(context) })
  return { state: 'received' as const }
}

const operation = {
  summary: 'Forward messages of banks from a phone',
  bodyLimit: maxBytes,
  consumes: ['application/json', 'application/x-www-form-urlencoded'],
  // Some apps take a short fixed text in the answer for success, and none for failure.
  answer: { state: Type.OneOf(['received'], 'Always this.') },
  refusals: ['rate_limited'],
  handle,
} as const

/** What apps on phones forward: one address for all of them, whose forms are recognised. */
export const phoneRoutes = routesForAll('feeds', 'phone', async (scope, context) => {
  // Signatures cover the bytes, so they are parsed only after these have been checked.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.addHook('preValidation', async (request) => {
    phones.set(request, await authenticate(context, request))
  })
  takeReporterTurns(scope, (request) => phones.get(request))
  const { rateLimit: max } = context.settings
  if (max === 0) return
  await scope.register(rateLimit, {
    ...{ max, timeWindow: 1000, hook: 'preValidation', cache: 10_000 },
    keyGenerator: (request) => phones.get(request)?.id ?? '',
    errorResponseBuilder: () =>
      new Refusal('rate_limited', `More than ${max} requests per second of this phone.`, { retryAfterSeconds: 1 }),
  })
})
  .post('/:id', null, {
    ...operation,
    id: 'forwardMessages',
    description:
      'Records all messages or none; sending them again changes nothing. The form is recognised by its fields: a webhook of SMS Gateway (`event`, `payload`), or one message, an array of up to 100, or `{ messages: […] }`, as JSON or form fields: `text` (also `message`, `content`, `org_content`, `sms_text`, `big_text`), `from` or `sender`, `package`, `title`, `sim`, `sentStamp` or `timestamp`, `receivedStamp`. `{ "event": "ping", "battery": 77 }` is a sign of life. Codes, passwords, and messages of senders that are no bank are dropped.',
  })
  .post('/:id/:secret', null, {
    ...operation,
    id: 'forwardMessagesByAddress',
    description: 'The same, for apps that can send no header: the secret is the last part of the address.',
    params: { secret: Type.String({ maxLength: 200, description: 'The secret of the phone.' }) },
  })

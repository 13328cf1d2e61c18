import type { FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify'
import { Refusal } from '../../rules/refusal.ts'
import type { App } from '../routes/app.ts'
import { countHeader } from '../routes/count-header.ts'
import { second } from '../../rules/time.ts'
import { parseJsonBody } from '../routes/json-body.ts'

/** RFC 9112 §3.2: exactly one Host header, because a proxy may have read one and we another. */
const checkHost = ({ raw }: FastifyRequest): void => {
  const hosts = countHeader(raw, 'host')
  if (hosts === 1 || (hosts === 0 && raw.httpVersionMajor === 1 && raw.httpVersionMinor < 1)) return
  throw new Refusal('validation_failed', 'The request must have exactly one Host header.')
}

/**
 * RFC 9112 §6.1: Node.js accepts any list of codings that ends with `chunked` and does not decode the others; a proxy
 * may read such a body differently. Any other list is a parse error, which Node.js reports by `clientError`.
 */
const checkTransferCoding = ({ raw, headers }: FastifyRequest, reply: FastifyReply): void => {
  const coding = headers['transfer-encoding']
  if (coding === undefined || !/(?:^|[\s,])chunked\s*$/i.test(coding)) return
  if (coding.toLowerCase() === 'chunked' && raw.httpVersionMinor > 0) return
  void reply.header('connection', 'close')
  throw new Refusal('validation_failed', 'The only supported Transfer-Encoding is chunked, in HTTP/1.1.')
}

const checkExpectation = ({ headers: { expect } }: FastifyRequest): void => {
  if (expect === undefined || expect.toLowerCase() === '100-continue') return
  throw new Refusal('expectation_failed', 'The only supported Expect is 100-continue.')
}

/** Refuses requests whose headers leave open where they go, where they end, or what they wait for. */
export const checkHeaders = (app: App): void => {
  app.addHook('onRequest', (request, reply, done) => {
    checkHost(request)
    checkTransferCoding(request, reply)
    checkExpectation(request)
    done()
  })
}

/**
 * Validates the path parameters of a request once its caller is known and before anything else reads them: hooks that
 * look something up by an id run before the framework's own validation.
 */
export const validateParameters = (app: App): void => {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const validate = request.getValidationFunction('params')
    if (!validate || validate(request.params)) return done(null, payload)
    const { errors } = validate as { errors?: unknown }
    done(Object.assign(new Error('malformed path parameters'), { validation: errors, validationContext: 'params' }))
  })
}

/** The parts of a request schema that decide where ids are. */
type Shape = {
  readonly format?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

type Change = (value: unknown) => unknown

/** A function that lower-cases the ids of a validated value, in place; `undefined` if its schema has none. */
const lowerIds = ({ format, properties = {}, items, anyOf = [] }: Shape): Change | undefined => {
  if (format === 'uuid') return (value) => (typeof value === 'string' ? value.toLowerCase() : value)
  const fields = Object.entries(properties).flatMap(([name, shape]) => {
    const change = lowerIds(shape)
    return change ? [{ name, change }] : []
  })
  const changeItem = items && lowerIds(items)
  const branches = anyOf.flatMap((shape) => lowerIds(shape) ?? [])
  if (fields.length === 0 && !changeItem && branches.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null) return branches.reduce((changed, change) => change(changed), value)
    const holder = value as Record<string, unknown>
    for (const { name, change } of fields) if (name in holder) holder[name] = change(holder[name])
    if (changeItem && Array.isArray(value)) for (const [index, item] of value.entries()) value[index] = changeItem(item)
    for (const change of branches) change(value)
    return value
  }
}

const parts = ['params', 'querystring', 'body'] as const

/**
 * Lower-cases the ids (`format: uuid`) of paths, queries and bodies before handlers see them: an id in capitals is the
 * same id (RFC 9562 §4), and all other code compares ids as text. Those of a path are lower-cased as soon as they are
 * validated, because hooks look things up by them.
 */
export const lowerCaseIds = (app: App): void => {
  app.addHook('onRoute', (route) => {
    const schema = (route.schema ?? {}) as Readonly<Record<(typeof parts)[number], Shape | undefined>>
    const [changeParams, changeQuery, changeBody] = parts.map((part) => schema[part] && lowerIds(schema[part]))
    if (changeParams) {
      const lower: preParsingHookHandler = (request, _reply, payload, done) => {
        changeParams(request.params)
        done(null, payload)
      }
      route.preParsing = [lower, ...[route.preParsing ?? []].flat()]
    }
    if (!changeQuery && !changeBody) return
    const lower = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
      changeQuery?.(request.query)
      changeBody?.(request.body)
      done()
    }
    route.preHandler = [lower, ...[route.preHandler ?? []].flat()]
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long the body of a request may take, in milliseconds. Default: 30 s. */
    bodyWithinMs?: number
  }
}

const bodyWithinMs = 30 * second

/** The longest time, in milliseconds, that any request and its response have: large files on slow connections. */
export const longestRequestMs = 620 * second

/** Refuses a body that does not arrive in time, as Node.js does, but with a limit per route: files may take longer. */
export const limitBodyTime = (app: App): void => {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
    if (length !== '0' || coding !== undefined) {
      const timer = setTimeout(() => {
        const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
        if (!raw.complete) app.server.emit('clientError', error, raw.socket)
      }, request.routeOptions.config.bodyWithinMs ?? bodyWithinMs)
      reply.raw.once('close', () => clearTimeout(timer.unref()))
    }
    done()
  })
}

/** Whether a request may come without a body: its schema has none, or allows `null`. */
export const mayLackBody = (schema: unknown): boolean => {
  if (typeof schema !== 'object' || schema === null) return true
  const { type, anyOf = [] } = schema as { type?: unknown; anyOf?: readonly { readonly type?: unknown }[] }
  return [type, ...anyOf.map((form) => form.type)].includes('null')
}

/** Parses bodies as JSON in UTF-8. Refuses every other content type. */
export const parseBodies = (app: App): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /charset\s*=\s*"?([^";]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
    const coding = request.headers['content-encoding'] ?? 'identity'
    if ((charset !== undefined && !/^utf-?8$/i.test(charset.trim())) || coding !== 'identity') {
      return done(new Refusal('unsupported_media_type', 'Send the body as application/json in UTF-8.'))
    }
    // Many clients send this type with every request. Where a body is required, an empty one is malformed.
    if (body.length === 0 && mayLackBody(request.routeOptions.schema?.body)) return done(null)
    try {
      done(null, parseJsonBody(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

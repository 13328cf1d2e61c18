import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import type { RefusalCode } from '../../domain/refusal.ts'
import { second } from '../../domain/time.ts'
import type { App } from '../app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the request was refused; set when it is. */
    refusalCode?: RefusalCode
  }
  interface FastifyContextConfig {
    /** Name of the operation in the OpenAPI document. */
    operation?: string
  }
}

type Level = 'debug' | 'info' | 'warn'

/** Refusals that come in floods: one line a second and code, or one in an outage, with the number of those left out before it. */
const floods: ReadonlySet<RefusalCode | undefined> = new Set(['rate_limited', 'overloaded', 'database_unavailable'])

// What was not read as valid, or names nothing, may be anything that somebody has pasted.
const unread: ReadonlySet<RefusalCode | undefined> = new Set([
  'malformed_json',
  'validation_failed',
  'payment_not_found',
])

const orderOf = ({ body, params, refusalCode }: FastifyRequest): string | undefined => {
  if (unread.has(refusalCode)) return undefined
  // Not by spreading: the body may be a file, which has a field for each of its bytes.
  const [inBody, inAddress] = [body, params].map((each) => (each as { orderId?: unknown } | undefined | null)?.orderId)
  const orderId = inBody ?? inAddress
  return typeof orderId === 'string' ? orderId : undefined
}

const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The ids in the address, by their names there; other parts are not logged. */
const idsOf = (params: unknown): Readonly<Record<string, string>> | undefined => {
  const ids = Object.entries((params ?? {}) as Record<string, string>).filter(([, value]) => isId.test(value))
  return ids.length > 0 ? Object.fromEntries(ids) : undefined
}

/** Who asked for what, and the outcome: no path, no header and no field that may hold a secret or a person. */
const lineOf = (request: FastifyRequest, reply: FastifyReply): Readonly<Record<string, unknown>> => {
  const { statusCode: status } = reply
  const { config, url } = request.routeOptions
  const isForbidden = status === 401 || status === 403
  return {
    requestId: request.id,
    operation: config.operation ?? `${request.method} ${url ?? ''}`,
    outcome: status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'done',
    status,
    code: request.refusalCode,
    operator: request.operator,
    // Not set where the token is not known.
    merchantId: (request.caller as FastifyRequest['caller'] | undefined)?.merchantId,
    order: orderOf(request),
    ids: idsOf(request.params),
    ...(isForbidden && { ip: request.ip }),
    ms: Math.round(reply.elapsedTime * 10) / 10,
  }
}

const levelOf = ({ method }: FastifyRequest, { statusCode: status }: FastifyReply): Level => {
  if (status >= 500) return 'warn'
  return status >= 400 || (method !== 'GET' && method !== 'HEAD') ? 'info' : 'debug'
}

/** Logs one line for each request that was refused (`info`), changed something (`info`), failed (`warn`) or read (`debug`). */
export const logRequests = (app: App, context: Context): void => {
  // Nothing in a line is to be left out, see `lineOf`; looking for it takes two thirds of the time of writing one.
  const lines = context.log.child({}, { redact: [] })
  const left = new Map<RefusalCode, { since: number; outage: number; more: number }>()
  /** How many lines were left out before this one; undefined where this one is left out, too. */
  const leftOut = (code: RefusalCode): number | undefined => {
    const now = context.ticks()
    const outage = code === 'database_unavailable' ? context.outage() : 0
    const last = left.get(code)
    if (last && (now - last.since < second || (outage > 0 && outage === last.outage))) {
      last.more++
      return undefined
    }
    left.set(code, { since: now, outage, more: 0 })
    return last?.more ?? 0
  }
  /** One line when an outage is over. */
  const logReturn = (): void => {
    const last = left.get('database_unavailable')
    if (!last || last.outage === 0 || context.outage() > 0) return
    left.delete('database_unavailable')
    context.log.warn({ code: 'database_unavailable', more: last.more }, 'the database answers requests again')
  }
  app.addHook('onResponse', (request, reply, done) => {
    const level = levelOf(request, reply)
    logReturn()
    if (!context.log.isLevelEnabled(level)) return done()
    const { refusalCode } = request
    const more = refusalCode && floods.has(refusalCode) ? leftOut(refusalCode) : 0
    if (more !== undefined) lines[level]({ ...lineOf(request, reply), ...(more > 0 && { more }) }, 'request')
    done()
  })
}

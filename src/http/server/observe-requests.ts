import type { FastifyReply, FastifyRequest } from 'fastify'
import { isId } from '../../rules/values/id-text.ts'
import type { Context } from '../../engine/context.ts'
import type { RefusalCode } from '../../rules/refusal.ts'
import { second } from '../../rules/time.ts'
import type { App } from '../routes/app.ts'
import type { OpenSpan } from '../../tracing/spans.ts'
import { matchAddresses } from '../access/address-list.ts'

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

/**
 * Refusals that come in floods: one line per second and code, or one per outage, with the number of lines left out
 * before it.
 */
const floods: ReadonlySet<RefusalCode | undefined> = new Set(['rate_limited', 'overloaded', 'database_unavailable'])

// An invalid value, or one that matches nothing, may be anything that somebody has pasted; so it is not logged.
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

/** The ids in the address, by their names there; other parts are not logged. */
const idsOf = (params: unknown): Readonly<Record<string, string>> | undefined => {
  const ids = Object.entries((params ?? {}) as Record<string, string>).filter(([, value]) => isId(value))
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
    // Not set if the token is unknown.
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
  // Lines have nothing to redact, see `lineOf`; looking for it takes two thirds of the time of writing one.
  const lines = context.log.child({}, { redact: [] })
  const left = new Map<RefusalCode, { since: number; outage: number; more: number }>()
  /** How many lines were left out before this one; undefined if this one is left out, too. */
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
  /** One line when an outage ends. */
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

/** Counts every request by its route, except streams. */
export const measureRequests = (app: App, { meter }: Context): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const { is404, method, refusalCode, routeOptions } = request
    const called = is404 ? { route: 'unknown', method: 'any' } : { route: routeOptions.url ?? 'unknown', method }
    const labels = { ...called, status: `${Math.trunc(reply.statusCode / 100)}xx` }
    if (request.isStream !== true)
      meter.observe('payin_http_request_duration_seconds', labels, reply.elapsedTime / 1000)
    if (refusalCode) meter.count('payin_http_refusals_total', { code: refusalCode })
    done()
  })
}

/** Checks of load balancers and monitors, every few seconds, forever. */
const untraced = new Set(['/healthz', '/readyz', '/metrics'])

/** Whether the callers of a route are servers, whose trace context is continued; that of a browser is ignored. */
const isCalledByServers = (route: string): boolean => route.startsWith('/api/')

/** A span for each request, by its route, if an SDK of OpenTelemetry is registered. */
export const traceRequests = (app: App, { spans }: Context): void => {
  if (!spans) return
  const open = new WeakMap<FastifyRequest, OpenSpan>()
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    if (untraced.has(route)) return done()
    const attributes = { 'http.request.method': request.method, 'http.route': route }
    const headers = isCalledByServers(route) ? request.headers : {}
    const span = spans.openRequest(`${request.method} ${route}`, attributes, headers)
    open.set(request, span)
    span.enter(done)
  })
  // The body is read in events of the connection, outside of the span; so it is entered again.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = open.get(request)
    if (span) span.enter(done)
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status } = reply
    const { operation } = request.routeOptions.config
    // Not set if the token is unknown.
    const merchantId = (request.caller as FastifyRequest['caller'] | undefined)?.merchantId
    open.get(request)?.end(
      {
        'http.response.status_code': status,
        ...(operation !== undefined && { 'payin.operation': operation }),
        ...(merchantId !== undefined && { 'payin.merchant.id': merchantId }),
        ...(request.refusalCode !== undefined && { 'error.type': request.refusalCode }),
      },
      status >= 500 ? (request.refusalCode ?? 'internal_error') : undefined,
    )
    done()
  })
}

/**
 * Warns once when an untrusted peer forwards requests: all its users count as one address in limits and allow-lists.
 */
export const warnOfProxy = (app: App, trustProxy: readonly string[]): void => {
  const isTrusted = matchAddresses(trustProxy)
  let warned = false
  app.addHook('onRequest', (request, _reply, done) => {
    const { remoteAddress } = request.raw.socket
    const isForwarded = request.headers['x-forwarded-for'] !== undefined && remoteAddress !== undefined
    if (!warned && isForwarded && !isTrusted(remoteAddress)) {
      warned = true
      request.log.warn(
        { peer: remoteAddress },
        'X-Forwarded-For of an untrusted peer is ignored; if it is your proxy, name it in PAYIN_TRUST_PROXY',
      )
    }
    done()
  })
}

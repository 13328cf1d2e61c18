import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import type { OpenSpan } from '../../tracing/spans.ts'
import type { App } from '../app.ts'

/** Checks of load balancers and monitors, every few seconds for ever. */
const untraced = new Set(['/healthz', '/readyz', '/metrics'])

/** Whether the callers of a route are servers, which have traces of their own; what a browser sends names none of ours. */
const isCalledByServers = (route: string): boolean => route.startsWith('/api/')

/** A span for each request, by its route, where an SDK of OpenTelemetry is registered. */
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
  // The body is read by events of its connection, which know nothing of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = open.get(request)
    if (span) span.enter(done)
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status } = reply
    const { operation } = request.routeOptions.config
    // Not set where the token is not known.
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

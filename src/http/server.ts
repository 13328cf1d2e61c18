import type { Socket } from 'node:net'
import fastifySwagger from '@fastify/swagger'
import Fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Context } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import { answerClientError } from './answer-client-error.ts'
import type { App } from './app.ts'
import { toProblem, toRefusal } from './errors.ts'
import { serializeWhenUsed, validateWhenUsed } from './compile-when-used.ts'
import { registerBankFeed } from './bank-feed/bank-feed.ts'
import { registerHealth } from './health/health.ts'
import { maxBodyBytes, parseJsonBody } from './json-body.ts'
import { limitBodyTime, longestRequestMs } from './limit-body-time.ts'
import { registerMerchantApi } from './merchant-api/merchant-api.ts'
import { lowerCaseIds } from './lower-case-ids.ts'
import { mayLackBody } from './may-lack-body.ts'
import { openApiOptions } from './openapi.ts'
import { registerOperatorApi } from './operator-api/operator-api.ts'
import { registerPaymentPage } from './payment-page/payment-page.ts'
import { registerSandbox } from './sandbox/sandbox.ts'
import { warnOfProxy } from './warn-of-proxy.ts'
import { addSecurityHeaders } from './security-headers.ts'
import { Problem } from './problems.ts'

const sendRefusal = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
  const refusal = toRefusal(error)
  const problem = toProblem(refusal, request.id)
  if (refusal.code === 'internal_error') request.log.error({ err: error }, 'internal error')
  return reply.code(problem.status).headers(problem.headers).serializer(JSON.stringify).send(problem.body)
}

/** RFC 9112 §3.2: exactly one Host header, because a proxy may have read the one and we another. */
const checkHost = ({ raw }: FastifyRequest): void => {
  let hosts = 0
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    const name = raw.rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts === 1 || (hosts === 0 && raw.httpVersionMajor === 1 && raw.httpVersionMinor < 1)) return
  throw new Refusal('validation_failed', 'The request must have one Host header.')
}

/** Answers 405 with `Allow` where the address exists for other methods, else 404. */
const answerUnknown = (app: App) => {
  const patterns = new Map<string, { match: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', (route) => {
    // The page of unknown links takes every address, and is none of its own.
    if (route.url === '/*') return
    const source = route.url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')
    const entry = patterns.get(route.url) ?? { match: new RegExp(`^${source}$`), methods: new Set<string>() }
    for (const method of [route.method].flat()) entry.methods.add(method)
    patterns.set(route.url, entry)
  })
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?')
    const methods = [...patterns.values()]
      .filter((entry) => entry.match.test(path))
      .flatMap((entry) => [...entry.methods])
    // A pattern that allows the method but was not taken: a parameter that is too long.
    if (methods.length === 0 || methods.includes(request.method))
      return sendRefusal(request, reply, new Refusal('route_not_found', 'There is nothing at this address.'))
    const allow = [...new Set(methods)].toSorted().join(', ')
    void reply.header('allow', allow)
    return sendRefusal(request, reply, new Refusal('method_not_allowed', `This address allows ${allow}.`))
  })
}

/** A client that is in the middle of a request may hold up the end of the service for so long. */
const stopWithinMs = 5_000

/**
 * Lets the server end soon. Node.js takes a connection that has not asked anything yet for a busy one and would wait for
 * it, and an answer that is under way would leave its connection open for the next request.
 */
const endConnections = (app: App, context: Context): void => {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (context.changes.closed()) void reply.header('connection', 'close')
    done()
  })
  app.addHook('preClose', async () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    setTimeout(() => app.server.closeAllConnections(), stopWithinMs).unref()
  })
}

/** Builds the HTTP server over a context: merchant API, sandbox, operator API, payer page, health, OpenAPI. */
export const createServer = async (context: Context): Promise<App> => {
  const { settings } = context
  // Typed wider on purpose: with pino's own type the server would not be an App.
  const loggerInstance: FastifyBaseLogger = context.log
  const app: App = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => context.newId(),
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    bodyLimit: maxBodyBytes,
    requestTimeout: longestRequestMs,
    // Node's own answer would be no problem document; see checkHost.
    http: { requireHostHeader: false },
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 2048 },
    schemaController: { compilersFactory: { buildValidator: validateWhenUsed, buildSerializer: serializeWhenUsed } },
    ajv: { customOptions: { allErrors: true, coerceTypes: false, removeAdditional: false, useDefaults: false } },
    frameworkErrors: (error, request, reply) => {
      sendRefusal(request, reply, error)
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, context.newId()),
  })
  app.server.headersTimeout = 15_000
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /charset\s*=\s*"?([^";]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
    const coding = request.headers['content-encoding'] ?? 'identity'
    if ((charset !== undefined && !/^utf-?8$/i.test(charset.trim())) || coding !== 'identity') {
      return done(new Refusal('unsupported_media_type', 'Send the body as application/json in UTF-8.'))
    }
    // Clients send this type with every request that could have a body; where one is required, an empty one is malformed.
    if (body.length === 0 && mayLackBody(request.routeOptions.schema?.body)) return done(null)
    try {
      done(null, parseJsonBody(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addHook('onRequest', (request, _reply, done) => {
    checkHost(request)
    done()
  })
  addSecurityHeaders(app, settings.publicUrl.startsWith('https:'))
  endConnections(app, context)
  lowerCaseIds(app)
  limitBodyTime(app)
  warnOfProxy(app)
  app.setErrorHandler((error, request, reply) => sendRefusal(request, reply, error))
  app.addHook('onResponse', (request, reply, done) => {
    if (reply.statusCode < 500 && !context.log.isLevelEnabled('debug')) return done()
    const { method, ip } = request
    const line = {
      requestId: request.id,
      method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ip,
      ms: reply.elapsedTime,
    }
    if (reply.statusCode >= 500) request.log.warn(line, 'request failed')
    else request.log.debug(line, 'request')
    done()
  })
  answerUnknown(app)
  app.addSchema(Problem)
  await app.register(fastifySwagger, openApiOptions(settings.publicUrl))
  registerHealth(app, context)
  await app.register(async (scope) => registerMerchantApi(scope as App, context), { prefix: '/api/v1/merchant' })
  await app.register(async (scope) => registerSandbox(scope as App, context), { prefix: '/api/v1/sandbox' })
  await app.register(async (scope) => registerOperatorApi(scope as App, context), { prefix: '/api/v1/operator' })
  await app.register(async (scope) => registerBankFeed(scope as App, context), { prefix: '/api/v1/feeds' })
  await app.register(async (scope) => registerPaymentPage(scope as App, context))
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
  return app
}

import Fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Context } from '../engine/context.ts'
import type { App } from './routes/app.ts'
import { bankFeedRoute } from './bank-feed/bank-feed.ts'
import { registerConsole } from './console/console.ts'
import { registerNews } from './console/news.ts'
import { toProblem, toRefusal } from './errors/errors.ts'
import { registerAuthRoutes, registerInvitationRoutes } from './console/auth-routes.ts'
import { registerDocs } from './docs/docs.ts'
import { registerHealth } from './health/health.ts'
import { maxBodyBytes } from './routes/json-body.ts'
import { registerMerchantApi } from './merchant-api/merchant-api.ts'
import { registerMetrics } from './metrics/metrics.ts'
import { collectRoutes } from './openapi/collect-routes.ts'
import { registerOperatorApi } from './operator-api/operator-api.ts'
import {
  registerPaymentPage,
  type ShowRefusal,
  unknownLink,
  wantsPage,
  wantsPayersPage,
} from './payment-page/payment-page.ts'
import { phoneRoutes } from './phones/phone-messages.ts'
import { sandboxRoutes } from './sandbox/sandbox.ts'
import { staticDocument } from './routes/static-document.ts'
import { addSecurityHeaders, answerUnknown, endConnections, securityHeaders } from './server/answer-requests.ts'
import { checkHeaders, limitBodyTime, lowerCaseIds, parseBodies, validateParameters } from './server/check-requests.ts'
import { serializeWhenUsed, validateWhenUsed } from './server/compile-when-used.ts'
import { ServerConnections } from './server/limit-connections.ts'
import { logRequests, measureRequests, traceRequests, warnOfProxy } from './server/observe-requests.ts'

/** Logged when an operation refuses with a code that the OpenAPI document does not declare for it. */
export const undeclaredRefusal = 'undeclared refusal'

const sendRefusal = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
  const refusal = toRefusal(error, request.routeOptions.bodyLimit)
  request.refusalCode = refusal.code
  const declared = request.routeOptions.config.refusals
  if (declared && !declared.has(refusal.code))
    request.log.warn({ route: request.routeOptions.url, code: refusal.code }, undeclaredRefusal)
  const problem = toProblem(refusal, request.id)
  if (refusal.code === 'internal_error') request.log.error({ err: error }, 'internal error')
  return reply.code(problem.status).headers(problem.headers).serializer(JSON.stringify).send(problem.body)
}

type Refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

const openApp = (context: Context, refuseAddress: Refuse): App => {
  const { settings } = context
  const connections = new ServerConnections(context)
  // Typed wider on purpose: with pino's own type the server would not be an App.
  const loggerInstance: FastifyBaseLogger = context.log
  const app: App = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => context.newId(),
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    bodyLimit: maxBodyBytes,
    serverFactory: (serve) => connections.open(serve),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 2048 },
    schemaController: { compilersFactory: { buildValidator: validateWhenUsed, buildSerializer: serializeWhenUsed } },
    ajv: { customOptions: { allErrors: true, coerceTypes: false, removeAdditional: false, useDefaults: false } },
    frameworkErrors: refuseAddress,
    // Each server of `connections` has its own handler.
    clientErrorHandler: () => undefined,
  })
  return app
}

/** Serves a document that is made when somebody first asks for it. */
const serveJson = (app: App, path: string, make: () => Promise<object>): void => {
  let document: ReturnType<typeof staticDocument> | undefined
  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    document ??= staticDocument(
      Buffer.from(JSON.stringify(await make())),
      'application/json; charset=utf-8',
      'no-cache',
    )
    return document.send(request, reply)
  })
}

/** Builds the HTTP server: merchant API, sandbox, operator API, payer's page, console, health, OpenAPI document. */
export const createServer = async (context: Context): Promise<App> => {
  const { publicUrl } = context.settings
  const headers = securityHeaders(publicUrl.startsWith('https:'))
  let showRefusal: ShowRefusal | undefined
  // No hook runs for an address that cannot be read, so nothing has checked where its request ends.
  const app = openApp(context, (error, request, reply) => {
    void reply.headers(headers).header('connection', 'close')
    if (showRefusal && wantsPage(request)) showRefusal(unknownLink(), request, reply)
    else sendRefusal(request, reply, error)
  })
  parseBodies(app)
  addSecurityHeaders(app, headers)
  checkHeaders(app)
  endConnections(app, context)
  validateParameters(app)
  lowerCaseIds(app)
  limitBodyTime(app)
  warnOfProxy(app, context.settings.trustProxy)
  app.setErrorHandler((error, request, reply) => sendRefusal(request, reply, error))
  logRequests(app, context)
  measureRequests(app, context)
  traceRequests(app, context)
  answerUnknown(app, (request, reply, refusal) =>
    showRefusal && wantsPayersPage(request)
      ? showRefusal(refusal, request, reply)
      : sendRefusal(request, reply, refusal),
  )
  const described = collectRoutes(app)
  registerHealth(app, context)
  registerMetrics(app, context)
  const add = (prefix: string, register: (scope: App, owner: Context) => Promise<void>) =>
    app.register((scope) => register(scope, context), { prefix: `/api/v1/${prefix}` })
  await add('merchant', registerMerchantApi)
  await add('sandbox', sandboxRoutes.register)
  await add('operator', registerOperatorApi)
  await add('feeds', bankFeedRoute.register)
  await add('phones', phoneRoutes.register)
  if (context.settings.console !== 'off') registerConsole(app)
  let api: object | undefined
  // Loaded with the first request for the document.
  const loadOpenApi = () => import('./openapi/openapi.ts')
  const describeApi = async (): Promise<object> => (api ??= (await loadOpenApi()).openApiDocument(described, publicUrl))
  registerDocs(app, publicUrl)
  await app.register(async (scope) => {
    showRefusal = await registerPaymentPage(scope, context)
  })
  registerAuthRoutes(app, context)
  registerInvitationRoutes(app, context)
  registerNews(app, context)
  serveJson(app, '/openapi.json', describeApi)
  serveJson(app, '/openapi/merchant.json', async () => {
    const { isOfMerchants, openApiDocument } = await loadOpenApi()
    return openApiDocument(described.filter(isOfMerchants), publicUrl)
  })
  return app
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Context } from '../../engine/context.ts'
import { scrapeType } from '../../metrics/meter.ts'
import { hashAccessToken } from '../../secrets/access-token.ts'
import { equalTexts } from '../../secrets/hashes.ts'
import type { App } from '../routes/app.ts'
import { askAgainSeconds, readUnreadiness } from '../health/read-unreadiness.ts'

const presents = (authorization: string | undefined, token: string): boolean => {
  const given = /^Bearer ([\x21-\x7e]{1,256})$/i.exec(authorization ?? '')?.[1]
  return given !== undefined && equalTexts(hashAccessToken(given), hashAccessToken(token))
}

type Answer = { readonly status: number; readonly type: string; readonly body: string }

const plain = (status: number, body: string): Answer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${body}\n`,
})

const scrape = async ({ settings, meter }: Context, authorization: string | undefined): Promise<Answer> => {
  const { metricsToken } = settings
  if (metricsToken !== undefined && !presents(authorization, metricsToken))
    return plain(401, 'The token of PAYIN_METRICS_TOKEN is needed: Authorization: Bearer …')
  return { status: 200, type: scrapeType, body: await meter.render() }
}

/** `GET /metrics` on the address of the API, where a token guards it. */
export const registerMetrics = (app: App, context: Context): void => {
  if (context.settings.metricsToken === undefined) return
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    const { status, type, body } = await scrape(context, request.headers.authorization)
    if (status === 401) void reply.header('www-authenticate', 'Bearer')
    return reply.code(status).type(type).header('cache-control', 'no-store').send(body)
  })
}

const answer = async (context: Context, request: IncomingMessage): Promise<Answer> => {
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'Only GET is allowed here.')
  const [path] = (request.url ?? '').split('?')
  if (path === '/metrics') return scrape(context, request.headers.authorization)
  if (path === '/healthz') return plain(200, 'ok')
  if (path !== '/readyz') return plain(404, 'Only /metrics, /healthz and /readyz exist here.')
  const problem = await readUnreadiness(context)
  return problem === undefined ? plain(200, 'ready') : plain(503, problem)
}

const serve = (context: Context, request: IncomingMessage, response: ServerResponse): void => {
  answer(context, request).then(
    ({ status, type, body }) => {
      if (status === 503) response.setHeader('retry-after', askAgainSeconds)
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', connection: 'close' })
      response.end(body)
    },
    (error: unknown) => {
      context.log.error({ err: error }, 'the metrics could not be collected')
      response.writeHead(500, { connection: 'close' }).end()
    },
  )
}

/** Connections to the port of metrics at a time; further ones are closed at once. */
const mostConnections = 50

/**
 * Serves `/metrics`, `/healthz` and `/readyz` on the port of PAYIN_METRICS_PORT, also for a process that only runs jobs.
 * Returns the port and how to close it; undefined if PAYIN_METRICS_PORT is not set.
 */
export const openMetricsPort = async (
  context: Context,
): Promise<{ readonly port: number; close(): Promise<void> } | undefined> => {
  const { metricsPort: port, metricsHost: host } = context.settings
  if (port === undefined) return undefined
  const server: Server = createServer((request, response) => serve(context, request, response))
  server.maxConnections = mostConnections
  server.requestTimeout = 10_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host }, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

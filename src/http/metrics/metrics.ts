import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import type { Context } from '../../engine/context.ts'
import { scrapeType } from '../../metrics/meter.ts'
import { hashAccessToken } from '../../secrets/access-token.ts'
import { equalTexts } from '../../secrets/hashes.ts'
import type { App } from '../routes/app.ts'
import { registerHealth } from '../health/health.ts'

const presents = (authorization: string | undefined, token: string): boolean => {
  const given = /^Bearer ([\x21-\x7e]{1,256})$/i.exec(authorization ?? '')?.[1]
  return given !== undefined && equalTexts(hashAccessToken(given), hashAccessToken(token))
}

const serveMetrics = (app: App, { settings, meter }: Context): void => {
  const { metricsToken } = settings
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    void reply.header('cache-control', 'no-store')
    if (metricsToken === undefined || presents(request.headers.authorization, metricsToken))
      return reply.type(scrapeType).send(await meter.render())
    const needed = 'The token of PAYIN_METRICS_TOKEN is needed: Authorization: Bearer …\n'
    return reply.code(401).header('www-authenticate', 'Bearer').type('text/plain; charset=utf-8').send(needed)
  })
}

/** `GET /metrics` on the address of the API, where a token guards it. */
export const registerMetrics = (app: App, context: Context): void => {
  if (context.settings.metricsToken !== undefined) serveMetrics(app, context)
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
  const app: App = Fastify({ forceCloseConnections: true, requestTimeout: 10_000 })
  app.server.maxConnections = mostConnections
  registerHealth(app, context)
  serveMetrics(app, context)
  app.setErrorHandler((error, _request, reply) => {
    context.log.error({ err: error }, 'the metrics could not be collected')
    return reply.code(500).send()
  })
  await app.listen({ port, host })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

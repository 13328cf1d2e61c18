import type { Context } from '../../context.ts'
import type { App } from '../app.ts'

/** Logs failed requests (5xx), and with the level `debug` all of them; without paths, which may hold secrets. */
export const logRequests = (app: App, context: Context): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const hasFailed = reply.statusCode >= 500
    if (!hasFailed && !context.log.isLevelEnabled('debug')) return done()
    const line = {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ip: request.ip,
      ms: reply.elapsedTime,
    }
    if (hasFailed) request.log.warn(line, 'request failed')
    else request.log.debug(line, 'request')
    done()
  })
}

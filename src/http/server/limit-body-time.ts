import { second } from '../../domain/time.ts'
import type { App } from '../app.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long the body of a request may take, in milliseconds. Default: 30 s. */
    bodyWithinMs?: number
  }
}

const bodyWithinMs = 30 * second

/** The longest that any route waits for a request and its answer, in milliseconds: large files on slow connections. */
export const longestRequestMs = 620 * second

/** Refuses a body that does not come in time, like Node.js, but per route: only files may take longer. */
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

import { second } from '../domain/time.ts'
import type { App } from './app.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Within how many milliseconds the body of a request must have come; 30 s unless told. */
    bodyWithinMs?: number
  }
}

const bodyWithinMs = 30 * second

/** The longest that any route waits for a request, in milliseconds, with time for its answer: large files on slow lines. */
export const longestRequestMs = 620 * second

/** Refuses a body that does not come in time as Node.js does, but by the route: only files may take longer. */
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

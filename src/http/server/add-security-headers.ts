import type { App } from '../app.ts'

/**
 * Adds headers that forbid browsers to do anything with an answer: scripts, frames, guessing of types, other origins. Not
 * by @fastify/helmet, which builds them again for every answer (4 % of a busy process).
 */
export const addSecurityHeaders = (app: App, isHttps: boolean): void => {
  const headers: Record<string, string> = {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(isHttps ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  }
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers)
    done()
  })
}

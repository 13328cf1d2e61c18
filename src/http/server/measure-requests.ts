import type { onResponseHookHandler } from 'fastify'
import type { Context } from '../../context.ts'
import type { App } from '../app.ts'

/**
 * Counts every request by its route. Each route has a hook of its own that has its counts at hand, which is cheaper than to
 * look for them at each request.
 */
export const measureRequests = (app: App, { meter }: Context): void => {
  const own = new WeakSet<object>()
  app.addHook('onRoute', (route) => {
    const note = meter.requestsOf(route.url, [route.method].flat().join())
    const hook: onResponseHookHandler = (request, reply, done) => {
      if (request.isStream !== true) note(reply.statusCode, reply.elapsedTime)
      done()
    }
    own.add(hook)
    // The route that answers HEAD is made of the one that answers GET, hooks included.
    const others = [route.onResponse ?? []].flat().filter((each) => !own.has(each))
    route.onResponse = [...others, hook]
  })
  const noteUnknown = meter.requestsOf('unknown', 'any')
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) noteUnknown(reply.statusCode, reply.elapsedTime)
    if (request.refusalCode) meter.count('payin_http_refusals_total', { code: request.refusalCode })
    done()
  })
}

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Refusal } from '../domain/refusal.ts'
import type { App } from './app.ts'

/**
 * Delay of the event loop beyond which requests are refused. A batch of 500 creates holds the loop for 30 ms; at 500 ms
 * everybody's answer is late, so that a quick refusal serves more of them.
 */
const maxDelayMs = 500
const lookEveryMs = 1000

/**
 * Refuses requests with `overloaded` before they cost anything, for as long as the process cannot keep up. Judged by the
 * median turn of a second: one long turn, as at every start, is no overload (@fastify/under-pressure goes by the mean, and
 * refused the first requests of a process for it).
 */
export const refuseOverload = (app: App): void => {
  const delays = monitorEventLoopDelay({ resolution: 20 })
  delays.enable()
  let isLate = false
  const timer = setInterval(() => {
    isLate = delays.percentile(50) / 1e6 > maxDelayMs
    delays.reset()
  }, lookEveryMs).unref()
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer)
    delays.disable()
    done()
  })
  app.addHook('onRequest', (_request, _reply, done) => {
    if (isLate) {
      throw new Refusal('overloaded', 'The service is too busy; nothing was done, try again shortly.', {
        retryAfterSeconds: 1,
      })
    }
    done()
  })
}

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Refusal } from '../../rules/refusal.ts'
import type { App } from '../routes/app.ts'

/**
 * Delay of the event loop above which requests are refused. A batch of 500 creates holds the loop for 30 ms; at 500 ms
 * every response is late, and refusing some quickly serves the others.
 */
const maxDelayMs = 500
const measureEveryMs = 1000

/**
 * Refuses requests with `overloaded`, before they cost anything, while the process cannot keep up. It looks at the
 * median delay of two consecutive seconds: one long turn of the event loop, as at every start, is not an overload.
 * (@fastify/under-pressure takes the mean and refused the first requests of a process.)
 */
export const refuseOverload = (app: App): void => {
  const delays = monitorEventLoopDelay({ resolution: 20 })
  delays.enable()
  let wasLate = false
  let isOverloaded = false
  const timer = setInterval(() => {
    const isLate = delays.percentile(50) / 1e6 > maxDelayMs
    isOverloaded = isLate && wasLate
    wasLate = isLate
    delays.reset()
  }, measureEveryMs).unref()
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer)
    delays.disable()
    done()
  })
  app.addHook('onRequest', (_request, _reply, done) => {
    if (isOverloaded) {
      throw new Refusal('overloaded', 'The service is too busy; nothing was changed. Try again shortly.', {
        retryAfterSeconds: 1,
      })
    }
    done()
  })
}

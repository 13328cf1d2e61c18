import underPressure from '@fastify/under-pressure'
import { Refusal } from '../domain/refusal.ts'
import type { App } from './app.ts'

/**
 * Mean delay of the event loop over a second, beyond which requests are refused. A batch of 500 creates holds the loop
 * for 30 ms; at 500 ms everybody's answer is late, so that a quick refusal serves more of them.
 */
const maxEventLoopDelayMs = 500

/** Refuses requests with `overloaded` before they cost anything, for as long as the process cannot keep up. */
export const refuseOverload = async (app: App): Promise<void> => {
  await app.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs,
    sampleInterval: 1000,
    pressureHandler: () => {
      throw new Refusal('overloaded', 'The service is too busy; nothing was done, try again shortly.', {
        retryAfterSeconds: 1,
      })
    },
  })
}

import { monitorEventLoopDelay } from 'node:perf_hooks'
import rateLimit from '@fastify/rate-limit'
import type { Context } from '../../engine/context.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { App } from '../routes/app.ts'
import { authenticate, authenticateRequests } from './auth.ts'
import { logMerchantRequests } from './log-merchant-requests.ts'
import { takeTurns } from './take-turns.ts'

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
const refuseOverload = (app: App): void => {
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

const windowSeconds = 1

/**
 * Limits requests per access token and second (`PAYIN_RATE_LIMIT`, 0 for no limit). Every response says what is left:
 * in `RateLimit-Policy` and `RateLimit` by the current IETF draft (draft-ietf-httpapi-ratelimit-headers-10), and in
 * `RateLimit-Limit`, `-Remaining` and `-Reset` by its earlier versions, which most clients read. Without a limit there
 * are no such headers.
 */
const registerRateLimit = async (app: App, context: Context): Promise<void> => {
  const { rateLimit: max } = context.settings
  if (max === 0) return
  await app.register(rateLimit, {
    max,
    timeWindow: windowSeconds * 1000,
    hook: 'preParsing',
    enableDraftSpec: true,
    cache: 10_000,
    keyGenerator: (request) => request.caller.tokenId,
    errorResponseBuilder: () =>
      new Refusal('rate_limited', `More than ${max} requests per second with this token.`, {
        retryAfterSeconds: windowSeconds,
      }),
  })
  const policy = `"token";q=${max};w=${windowSeconds}`
  app.addHook('onSend', (_request, reply, _payload, done) => {
    const left = reply.getHeader('ratelimit-remaining')
    // A request that is refused before it is counted, such as one with an unknown token, has no limit to report.
    if (left !== undefined) {
      const reset = reply.getHeader('ratelimit-reset')
      void reply.header('ratelimit-policy', policy).header('ratelimit', `"token";r=${String(left)};t=${String(reset)}`)
    }
    done()
  })
}

/**
 * Prepares a part of the server for merchants: requests are logged, refused while the process cannot keep up,
 * authenticated by a token (never from a browser) or a member's session of the console, and limited per token and
 * second. Responses are not cached unless they say otherwise.
 */
export const prepareForMerchants = async (app: App, context: Context): Promise<void> => {
  logMerchantRequests(app, context)
  refuseOverload(app)
  authenticateRequests(app, (request) => authenticate(context, request))
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
    done()
  })
  takeTurns(app, ({ routeOptions, caller }) => (routeOptions.config.takesTurns ? caller.merchantId : undefined))
  await registerRateLimit(app, context)
}

import rateLimit from '@fastify/rate-limit'
import type { Context } from '../../engine/context.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { App } from '../routes/app.ts'

const windowSeconds = 1

/**
 * Limits requests per access token and second (`PAYIN_RATE_LIMIT`, 0 for no limit). Every response says what is left:
 * in `RateLimit-Policy` and `RateLimit` by the current IETF draft (draft-ietf-httpapi-ratelimit-headers-10), and in
 * `RateLimit-Limit`, `-Remaining` and `-Reset` by its earlier versions, which most clients read. Without a limit there
 * are no such headers.
 */
export const registerRateLimit = async (app: App, context: Context): Promise<void> => {
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

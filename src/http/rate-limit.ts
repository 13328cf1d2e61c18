import rateLimit from '@fastify/rate-limit'
import type { Context } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import type { App } from './app.ts'

/** Limits requests per access token and second (`PAYIN_RATE_LIMIT`, 0 for no limit). */
export const registerRateLimit = async (app: App, context: Context): Promise<void> => {
  if (context.settings.rateLimit === 0) return
  await app.register(rateLimit, {
    max: context.settings.rateLimit,
    timeWindow: 1000,
    hook: 'preParsing',
    enableDraftSpec: true,
    cache: 10_000,
    keyGenerator: (request) => request.caller.tokenId,
    errorResponseBuilder: (_request, { max }) =>
      new Refusal('rate_limited', `More than ${max} requests per second with this token.`, { retryAfterSeconds: 1 }),
  })
}

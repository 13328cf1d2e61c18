import '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { minute } from '../../domain/time.ts'
import type { App } from '../app.ts'

/** Requests that one payment's page may make in a minute: two open tabs without streams make 40. */
const perTokenAndMinute = 240
/** Streams that one payment may have open: a phone, a desktop and forgotten tabs. */
const streamsPerToken = 6

const tooMany = (): Refusal =>
  new Refusal('rate_limited', 'Too many requests for this page.', { retryAfterSeconds: 60 })

const tokenOf = (request: FastifyRequest): string => (request.params as { token?: string }).token ?? ''

/** Limits requests for pages per address (`PAYIN_PAGE_RATE_LIMIT`, 0 for none) and per payment. */
export const limitRequests = (app: App, { settings }: Context): ((request: FastifyRequest) => Promise<void>) => {
  if (settings.pageRateLimit === 0) return async () => undefined
  const byAddress = app.createRateLimit({ max: settings.pageRateLimit, timeWindow: minute })
  const byToken = app.createRateLimit({ max: perTokenAndMinute, timeWindow: minute, keyGenerator: tokenOf })
  return async (request) => {
    for (const check of [byAddress, byToken]) {
      const result = await check(request)
      if (!result.isAllowed && result.isExceeded) throw tooMany()
    }
  }
}

/** Counts open streams per address (`PAYIN_PAGE_STREAMS`, 0 for no limit) and per payment. */
export const limitStreams = ({ settings }: Context) => {
  const open = new Map<string, number>()
  const add = (key: string, change: number): void => {
    const count = (open.get(key) ?? 0) + change
    if (count === 0) open.delete(key)
    else open.set(key, count)
  }
  return {
    /** Takes a place; refuses `rate_limited`. The place is given back by the returned function. */
    take: (address: string, token: string): (() => void) => {
      const perAddress = settings.pageStreams === 0 ? Number.POSITIVE_INFINITY : settings.pageStreams
      const full = (open.get(address) ?? 0) >= perAddress || (open.get(token) ?? 0) >= streamsPerToken
      if (full) throw tooMany()
      for (const key of [address, token]) add(key, 1)
      return () => {
        for (const key of [address, token]) add(key, -1)
      }
    },
  }
}

import '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { Refusal } from '../../rules/refusal.ts'
import { minute } from '../../rules/time.ts'
import { addressGroup } from '../access/address-group.ts'
import type { App } from '../routes/app.ts'
import { countOpen, type OpenLimit } from '../access/count-open.ts'

/** Requests per minute for one payment's page: two open tabs without streams make 40. */
const perTokenAndMinute = 240
/** Streams that one payment may have open: a phone, a desktop and forgotten tabs. */
const streamsPerToken = 6

const tooMany = (): Refusal =>
  new Refusal('rate_limited', 'Too many requests for this page.', { retryAfterSeconds: 60 })

const tokenOf = (request: FastifyRequest): string => (request.params as { token?: string }).token ?? ''

/** Refuses `rate_limited` when a request exceeds a limit. */
export type CheckLimits = (request: FastifyRequest) => Promise<void>

/**
 * Limits requests per address (`PAYIN_PAGE_RATE_LIMIT`, 0 for no limit), and those for pages per payment as well.
 * Assets that browsers keep forever count only if they are read from the database.
 */
export const limitRequests = (
  app: App,
  { settings }: Context,
): { readonly ofPages: CheckLimits; readonly ofReads: CheckLimits } => {
  if (settings.pageRateLimit === 0) return { ofPages: async () => undefined, ofReads: async () => undefined }
  const byAddress = app.createRateLimit({
    max: settings.pageRateLimit,
    timeWindow: minute,
    keyGenerator: ({ ip }) => addressGroup(ip),
  })
  const byToken = app.createRateLimit({ max: perTokenAndMinute, timeWindow: minute, keyGenerator: tokenOf })
  const refuseBy =
    (checks: readonly (typeof byAddress)[]): CheckLimits =>
    async (request) => {
      for (const check of checks) {
        const result = await check(request)
        if (!result.isAllowed && result.isExceeded) throw tooMany()
      }
    }
  return { ofPages: refuseBy([byAddress, byToken]), ofReads: refuseBy([byAddress]) }
}

/** Counts open streams per address (`PAYIN_PAGE_STREAMS`, 0 for no limit) and per payment. */
export const limitStreams = ({ settings }: Context) => {
  const open = countOpen()
  return {
    /** Counts one more stream until the returned function is called. Refuses `rate_limited`. */
    take: (address: string, token: string): (() => void) => {
      const group = addressGroup(address)
      const limits: OpenLimit[] = [
        [group, settings.pageStreams === 0 ? Number.POSITIVE_INFINITY : settings.pageStreams],
        [token, streamsPerToken],
      ]
      if (limits.some(open.isFull)) throw tooMany()
      return open.take([group, token])
    },
  }
}

/**
 * Refuses a form that another site has sent (403). The secret is the token in the address; this is a second line of
 * defence. Our own forms have `Origin: null`, because the page asks for no referrer (Fetch standard §3.2).
 */
export const refuseForeignForm = (request: FastifyRequest, publicUrl: string): void => {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isOwn =
    origin === undefined ||
    origin === 'null' ||
    origin === new URL(publicUrl).origin ||
    URL.parse(origin)?.host === request.host
  if (isOwn && (site === undefined || site === 'same-origin' || site === 'none')) return
  throw new Refusal('browser_not_allowed', 'The form was sent by another site.')
}

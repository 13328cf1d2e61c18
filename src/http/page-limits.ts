import '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import { minute } from '../domain/time.ts'
import { addressGroup } from './address-group.ts'
import type { App } from './app.ts'

/** Requests that one payment's page may make in a minute: two open tabs without streams make 40. */
const perTokenAndMinute = 240
/** Streams that one payment may have open: a phone, a desktop and forgotten tabs. */
const streamsPerToken = 6
/** Files that one payment may be sending. */
const uploadsPerPayment = 1
/** Files that one address may be sending; several payers may share it. */
const uploadsPerAddress = 6
/** Files that the process takes at once. Each holds up to 5 MB until it is stored: 24 of them are 120 MB. */
const uploadsInAll = 24

const tooMany = (): Refusal =>
  new Refusal('rate_limited', 'Too many requests for this page.', { retryAfterSeconds: 60 })

const tokenOf = (request: FastifyRequest): string => (request.params as { token?: string }).token ?? ''

/** Refuses `rate_limited` once a request is one too many. */
export type CheckLimits = (request: FastifyRequest) => Promise<void>

/**
 * Limits requests per address (`PAYIN_PAGE_RATE_LIMIT`, 0 for none), those for pages per payment as well. What is kept
 * for ever counts only where it is read from the database.
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

/** How many there may be of what counts under a key. */
type Place = readonly [key: string, most: number]

/** Counts what is open at the moment under several keys. */
const countOpen = () => {
  const open = new Map<string, number>()
  const add = (key: string, change: number): void => {
    const count = (open.get(key) ?? 0) + change
    if (count === 0) open.delete(key)
    else open.set(key, count)
  }
  return {
    isFull: ([key, most]: Place): boolean => (open.get(key) ?? 0) >= most,
    /** Takes a place under each key; the returned function gives them back, once. */
    take: (keys: readonly string[]): (() => void) => {
      let taken = true
      for (const key of keys) add(key, 1)
      return () => {
        if (taken) for (const key of keys) add(key, -1)
        taken = false
      }
    },
  }
}

/** Counts open streams per address (`PAYIN_PAGE_STREAMS`, 0 for no limit) and per payment. */
export const limitStreams = ({ settings }: Context) => {
  const open = countOpen()
  return {
    /** Takes a place; refuses `rate_limited`. The place is given back by the returned function. */
    take: (address: string, token: string): (() => void) => {
      const perAddress = settings.pageStreams === 0 ? Number.POSITIVE_INFINITY : settings.pageStreams
      const group = addressGroup(address)
      const places: Place[] = [
        [group, perAddress],
        [token, streamsPerToken],
      ]
      if (places.some(open.isFull)) throw tooMany()
      return open.take([group, token])
    },
  }
}

/** Counts the files that are being sent: one of a payment, a few of an address, so that nobody keeps out the others. */
export const limitUploads = () => {
  const open = countOpen()
  return {
    /** Takes a place; refuses `rate_limited`, and `overloaded` when all are taken. The returned function gives it back. */
    take: (address: string, paymentId: string): (() => void) => {
      const group = addressGroup(address)
      const places: Place[] = [
        [group, uploadsPerAddress],
        [paymentId, uploadsPerPayment],
      ]
      if (places.some(open.isFull)) {
        throw new Refusal('rate_limited', 'Another file is being sent.', { retryAfterSeconds: 10 })
      }
      if (open.isFull(['all', uploadsInAll])) {
        throw new Refusal('overloaded', 'Too many files are being sent.', { retryAfterSeconds: 10 })
      }
      return open.take([group, paymentId, 'all'])
    },
  }
}

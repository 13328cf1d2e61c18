import type { KeyObject } from 'node:crypto'
import type { Dispatcher } from 'undici'
import type { AttemptOutcome, DeliveryError } from '../rules/notices/delivery.ts'
import { second } from '../rules/time.ts'
import type { Reach } from './address-guard.ts'
import { countInterim, errorOf, GuardedAgents, isRefused } from './guarded-agent.ts'
import { type LookupTimes, openResolver } from './open-resolver.ts'
import { signWebhook } from './sign-webhook.ts'

/** A notification on its way to one endpoint. */
export type WebhookRequest = {
  readonly url: string
  /** Whether the address may be on this machine. */
  readonly reach: Reach
  /** Signing keys, the current one first. */
  readonly keys: readonly KeyObject[]
  readonly id: string
  readonly body: string
  /** W3C trace context. */
  readonly traceparent: string
}

/** Sends notifications; never throws. */
export type WebhookSender = {
  /**
   * POSTs one notification and returns the result. Only the status of the answer counts, not its body; redirects are
   * not followed; only the start of the body is read.
   */
  send(request: WebhookRequest): Promise<AttemptOutcome>
  /** Whether a host of a URL may be on the public internet: a name, or such an IP address; names are not looked up. */
  mayReach(hostname: string): boolean
  close(): Promise<void>
}

/** Stored part of an answer's body, in characters. */
const excerptLength = 500
/** A longer body is cut off here. */
const maxBodyBytes = 16 * 1024

/** Lines of printable characters; the database rejects NUL, and terminals must not get escape sequences. */
const printable = (bytes: Buffer): string =>
  bytes
    .toString('utf8')
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, excerptLength)
    .toWellFormed()
    .trim()

type Attempt = {
  readonly handler: Dispatcher.DispatchHandler
  readonly giveUp: (error: unknown) => void
}

/** Follows one exchange and reports what is known when it ends for any reason. */
const follow = (bodyTimeMs: number, finish: (found: Omit<AttemptOutcome, 'latencyMs'>) => void): Attempt => {
  let controller: Dispatcher.DispatchController | undefined
  let httpStatus: number | null = null
  let retryAfter: string | null = null
  let timer: NodeJS.Timeout | undefined
  const chunks: Buffer[] = []
  let length = 0
  let finished = false
  const interim = countInterim()
  const end = (error: DeliveryError | null): void => {
    if (finished) return
    finished = true
    clearTimeout(timer)
    finish({
      httpStatus,
      error: httpStatus === null ? (error ?? 'failed') : null,
      retryAfter,
      excerpt: printable(Buffer.concat(chunks)),
    })
  }
  const giveUp = (error: unknown): void => {
    end(errorOf(error))
    controller?.abort(error as Error)
  }
  const cutOff = (): void => giveUp(Object.assign(new Error('enough of the answer was read'), { code: 'ENOUGH' }))
  return {
    giveUp,
    handler: {
      onRequestStart: (started) => {
        controller = started
        if (finished) started.abort(new Error('the time is over'))
      },
      onResponseStart: (_controller, code, headers) => {
        // Interim answers are not the answer.
        if (code < 200) return interim()
        httpStatus = code
        const header = headers['retry-after']
        retryAfter = (Array.isArray(header) ? header[0] : header) ?? null
        timer = setTimeout(cutOff, bodyTimeMs)
      },
      onResponseData: (_controller, chunk) => {
        if (length < maxBodyBytes) chunks.push(chunk.subarray(0, excerptLength * 4))
        length += chunk.length
        if (length >= maxBodyBytes) cutOff()
      },
      onResponseEnd: () => end(null),
      onResponseError: (_controller, error) => end(errorOf(error)),
    },
  }
}

/**
 * Opens the sender; `clock` gives the time of the signatures, `timeoutMs` limits an attempt from its start to the
 * status, `bodyTimeMs` limits the body after the status; `nameServers` (address and port) look up names instead of
 * those of the system.
 */
export const createWebhookSender = (options: {
  readonly clock: () => number
  readonly timeoutMs: number
  readonly nameServers?: readonly string[]
  readonly lookupTimes?: LookupTimes
  readonly bodyTimeMs?: number
}): WebhookSender => {
  const { clock, timeoutMs, nameServers, lookupTimes, bodyTimeMs = second } = options
  const resolver = openResolver(clock, nameServers, lookupTimes)
  const agents = new GuardedAgents(timeoutMs, resolver.resolve)
  const dispatch = async (
    request: WebhookRequest,
    handler: Dispatcher.DispatchHandler,
    startedAt: number,
  ): Promise<void> => {
    const { id, body, keys, traceparent } = request
    const url = new URL(request.url)
    const timestamp = Math.floor(startedAt / second)
    await agents.dispatch(
      request.reach,
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Payin',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signWebhook(keys, id, timestamp, body),
          traceparent,
        },
        body,
      },
      handler,
    )
  }
  return {
    send: (request) =>
      new Promise((resolve) => {
        const startedAt = clock()
        const { handler, giveUp } = follow(bodyTimeMs, (found) => {
          clearTimeout(timer)
          resolve({ ...found, latencyMs: Math.max(0, clock() - startedAt) })
        })
        const timer = setTimeout(
          () => giveUp(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })),
          timeoutMs,
        )
        dispatch(request, handler, startedAt).catch(giveUp)
      }),
    mayReach: (hostname) => !isRefused(hostname, 'public'),
    close: async () => {
      resolver.close()
      await agents.destroy()
    },
  }
}

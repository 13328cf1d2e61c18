import type { KeyObject } from 'node:crypto'
import type { AttemptOutcome } from '../rules/notices/delivery.ts'
import { second } from '../rules/time.ts'
import type { Reach } from './address-guard.ts'
import { errorOf, GuardedAgents, isRefused } from './guarded-agent.ts'
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

/**
 * Opens the sender; `clock` gives the time of the signatures, `timeoutMs` limits an attempt from its start to the
 * status, `bodyTimeMs` limits the body after the status.
 */
export const createWebhookSender = (
  options: ConstructorParameters<typeof GuardedAgents>[0] & { readonly bodyTimeMs?: number },
): WebhookSender => {
  const { clock, bodyTimeMs = second } = options
  const agents = new GuardedAgents(options)
  return {
    send: async ({ url, reach, keys, id, body, traceparent }) => {
      const startedAt = clock()
      const timestamp = Math.floor(startedAt / second)
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Payin',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signWebhook(keys, id, timestamp, body),
        traceparent,
      }
      const limits = { maxBytes: maxBodyBytes, bodyTimeMs }
      const answer = await agents.exchange(url, reach, { method: 'POST', headers, body }, limits)
      return {
        httpStatus: answer.status,
        error: answer.status === null ? errorOf(answer.error) : null,
        retryAfter: answer.retryAfter,
        excerpt: printable(answer.body),
        latencyMs: Math.max(0, clock() - startedAt),
      }
    },
    mayReach: (hostname) => !isRefused(hostname, 'public'),
    close: () => agents.close(),
  }
}

import { createSecretKey } from 'node:crypto'
import { signWebhook } from '../gateways/sign-webhook.ts'

/** A notification on its way to a handler: the bytes of its body, and the headers that the service sends. */
export type Call = {
  readonly id: string
  readonly body: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly secret: string
}

/** What a handler has answered, or why it has not. */
export type HandlerAnswer = {
  readonly status?: number
  readonly error?: 'connection_failed' | 'timeout' | 'failed'
  readonly retryAfter?: string
  readonly latencyMs: number
  readonly excerpt: string
}

/** The service gives a handler as long. */
export const handlerTimeoutMs = 15_000
const longestExcerpt = 500

/** The headers of a notification. */
export const headersOf = ({ id, body, timestamp, secret }: Call): Record<string, string> => {
  const key = createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
  return {
    'content-type': 'application/json',
    'user-agent': 'Payin',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook([key], id, timestamp, body),
  }
}

const errorOf = (error: unknown): NonNullable<HandlerAnswer['error']> => {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout'
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined
  return /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET)/.test(cause?.code ?? '') ? 'connection_failed' : 'failed'
}

/** Posts a notification to a handler's address, path and query included; never throws. */
export const forward = async (
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { clock, timeoutMs = handlerTimeoutMs }: { readonly clock: () => number; readonly timeoutMs?: number },
): Promise<HandlerAnswer> => {
  const startedAt = clock()
  const latency = (): number => Math.max(0, Math.round(clock() - startedAt))
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' })
    const latencyMs = latency()
    const excerpt = (await response.text().catch(() => '')).slice(0, longestExcerpt)
    const retryAfter = response.headers.get('retry-after')
    return { status: response.status, ...(retryAfter !== null && { retryAfter }), latencyMs, excerpt }
  } catch (error) {
    return { error: errorOf(error), latencyMs: latency(), excerpt: '' }
  }
}

/** Whether a handler has taken a notification. */
export const isTaken = ({ status = 0 }: HandlerAnswer): boolean => status >= 200 && status < 300

/** What a handler has answered, in words. */
export const printAnswer = ({ status, error, latencyMs }: HandlerAnswer): string =>
  `${status ?? error ?? 'no answer'} in ${latencyMs} ms`

import type { Dispatcher } from 'undici'
import type { DeliveryError } from '../rules/notices/delivery.ts'
import type { Instant } from '../rules/time.ts'
import type { Reach } from './address-guard.ts'
import { countInterim, errorOf, GuardedAgents } from './guarded-agent.ts'
import { openResolver } from './open-resolver.ts'

/** A request to a machine that the operator has named. */
export type WebRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Whether the address may be on this machine. */
  readonly reach: Reach
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** A longer answer is refused as `too_large`. */
  readonly maxBytes: number
}

/** A complete answer, or why there is none. */
export type WebAnswer =
  | { readonly status: number; readonly body: string }
  | { readonly error: DeliveryError | 'too_large' }

/** Sends requests and reads complete answers; never throws. */
export type WebClient = {
  /** Follows no redirect and decompresses nothing. */
  request(request: WebRequest): Promise<WebAnswer>
  close(): Promise<void>
}

const tooLarge = 'ANSWER_TOO_LARGE'

/** Reads one answer up to its end, its limit or the call of `stop`. */
const collect = (maxBytes: number, finish: (answer: WebAnswer) => void) => {
  let controller: Dispatcher.DispatchController | undefined
  let status = 0
  let length = 0
  let ended = false
  const chunks: Buffer[] = []
  const interim = countInterim()
  const end = (answer: WebAnswer): void => {
    if (ended) return
    ended = true
    finish(answer)
  }
  const stop = (error: unknown): void => {
    const isTooLarge = (error as { code?: unknown }).code === tooLarge
    end({ error: isTooLarge ? 'too_large' : errorOf(error) })
    controller?.abort(error as Error)
  }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (started) => {
      controller = started
      if (ended) started.abort(new Error('the time is over'))
    },
    onResponseStart: (_controller, code) => {
      // Interim answers are not the answer.
      if (code < 200) return interim()
      status = code
    },
    onResponseData: (_controller, chunk) => {
      length += chunk.length
      if (length > maxBytes) stop(Object.assign(new Error('the answer is too large'), { code: tooLarge }))
      else chunks.push(chunk)
    },
    onResponseEnd: () => end({ status, body: Buffer.concat(chunks).toString('utf8') }),
    onResponseError: (_controller, error) => end({ error: errorOf(error) }),
  }
  return { handler, stop }
}

/** Opens the client; an exchange ends after `timeoutMs`, including its body. */
export const createWebClient = (options: {
  readonly clock: () => Instant
  readonly timeoutMs: number
  readonly nameServers?: readonly string[]
}): WebClient => {
  const { clock, timeoutMs, nameServers } = options
  const resolver = openResolver(clock, nameServers)
  const agents = new GuardedAgents(timeoutMs, resolver.resolve)
  return {
    request: ({ method, url: text, reach, headers, body, maxBytes }) =>
      new Promise((resolve) => {
        const { handler, stop } = collect(maxBytes, (answer) => {
          clearTimeout(timer)
          resolve(answer)
        })
        const timer = setTimeout(
          () => stop(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })),
          timeoutMs,
        )
        const send = async (): Promise<void> => {
          const url = new URL(text)
          const sent = { 'user-agent': 'Payin', accept: 'application/json', ...headers }
          const path = url.pathname + url.search
          const exchange = { origin: url.origin, path, method, headers: sent, body: body ?? null }
          await agents.dispatch(reach, exchange, handler)
        }
        send().catch(stop)
      }),
    close: async () => {
      resolver.close()
      await agents.destroy()
    },
  }
}

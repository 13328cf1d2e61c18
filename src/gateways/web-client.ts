import type { DeliveryError } from '../rules/notices/delivery.ts'
import type { Reach } from './address-guard.ts'
import { errorOf, GuardedAgents, tooLarge } from './guarded-agent.ts'

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

/** Opens the client; an exchange ends after `timeoutMs`, including its body. */
export const createWebClient = (options: ConstructorParameters<typeof GuardedAgents>[0]): WebClient => {
  const agents = new GuardedAgents(options)
  return {
    request: async ({ method, url, reach, headers, body = null, maxBytes }) => {
      const sent = { 'user-agent': 'Payin', accept: 'application/json', ...headers }
      const answer = await agents.exchange(url, reach, { method, headers: sent, body }, { maxBytes })
      const { status, error } = answer
      if (status !== null && error === null) return { status, body: answer.body.toString('utf8') }
      return { error: (error as { code?: unknown }).code === tooLarge ? 'too_large' : errorOf(error) }
    },
    close: () => agents.close(),
  }
}

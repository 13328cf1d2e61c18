import { isIP, type Socket } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import type { DeliveryError } from '../rules/notices/delivery.ts'
import { addressRefused, addressRefusedCode, guardLookup, isReachable, type Reach } from './address-guard.ts'
import {
  type HostResolver,
  type LookupTimes,
  nameUnknownCode,
  openResolver,
  type ResolveHost,
} from './open-resolver.ts'

const errors: readonly (readonly [DeliveryError, RegExp])[] = [
  ['address_refused', new RegExp(`^${addressRefusedCode}$`)],
  ['timeout', /TIMEOUT|ETIMEDOUT/],
  ['dns_failed', new RegExp(`^${nameUnknownCode}$`)],
  ['tls_failed', /CERT|^ERR_(TLS|SSL)|^EPROTO|SELF_SIGNED|ALTNAME|^UNABLE_TO/],
  ['connection_failed', /^(ECONNREFUSED|EHOST|ENET|EADDR|EACCES|EPERM)/],
  ['connection_lost', /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED)/],
  ['answer_malformed', /^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES|UND_ERR_INVALID)/],
]

type Coded = { readonly code?: unknown; readonly name?: unknown; readonly cause?: unknown; readonly errors?: unknown[] }

/** Why a request got no answer, in one word. */
export const errorOf = (error: unknown): DeliveryError => {
  const { code, name, cause, errors: parts } = error as Coded
  const found = errors.find(([, pattern]) => pattern.test(String(code ?? name)))
  if (found) return found[0]
  const inner = cause ?? parts?.[0]
  return inner ? errorOf(inner) : 'failed'
}

/** Most interim answers (1xx) before an answer; a server may send them without end, and each costs work. */
const maxInterim = 8

const refuseSocket = (socket: Socket, reach: Reach): boolean =>
  socket.remoteAddress === undefined || !isReachable(socket.remoteAddress, reach)

/** Whether a URL's host is a forbidden IP address; parsing has already normalised other spellings. */
export const isRefused = (hostname: string, reach: Reach): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && !isReachable(host, reach)
}

/** A connection that is unused for this long is closed, whatever the receiver proposes: each holds a file open. */
const idleMs = 4000

/** Connections that lead only where `reach` allows; `timeoutMs` limits the time to connect. */
export const createGuardedAgent = async (
  reach: Reach,
  timeoutMs: number,
  resolveHost: ResolveHost,
  closeIdleAfterMs = idleMs,
): Promise<Agent> => {
  const { Agent, buildConnector } = await import('undici')
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardLookup(reach, resolveHost), allowH2: false })
  const guarded: typeof connect = (options, callback) => {
    // An IP address in the URL is not looked up, so it is checked here.
    if (isRefused(options.hostname, reach)) return callback(addressRefused(), null)
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      if (!refuseSocket(socket, reach)) return callback(null, socket)
      socket.destroy()
      callback(addressRefused(), null)
    })
  }
  return new Agent({
    connect: guarded,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: closeIdleAfterMs,
    keepAliveMaxTimeout: closeIdleAfterMs,
    // The sender keeps one timer for the whole attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** As much of an answer as was read, and why no more; `error` is null if it is whole, `status` if there is none. */
export type Exchange = {
  readonly status: number | null
  readonly retryAfter: string | null
  readonly body: Buffer
  readonly error: unknown
}

/** How much of an answer is read: up to this size, and for this long after its status. */
export type ReadLimits = { readonly maxBytes: number; readonly bodyTimeMs?: number }

export const tooLarge = 'ANSWER_TOO_LARGE'

const failure = (message: string, code: string): Error => Object.assign(new Error(message), { code })

/** Follows one exchange up to its end, its limits or the call of `stop`. */
const follow = ({ maxBytes, bodyTimeMs }: ReadLimits, finish: (exchange: Exchange) => void) => {
  let controller: Dispatcher.DispatchController | undefined
  let status: number | null = null
  let retryAfter: string | null = null
  let timer: NodeJS.Timeout | undefined
  let length = 0
  let interim = 0
  let ended = false
  const chunks: Buffer[] = []
  const end = (error: unknown): void => {
    if (ended) return
    ended = true
    clearTimeout(timer)
    finish({ status, retryAfter, body: Buffer.concat(chunks), error })
  }
  const stop = (error: Error): void => {
    end(error)
    controller?.abort(error)
  }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (started) => {
      controller = started
      if (ended) started.abort(new Error('the time is over'))
    },
    onResponseStart: (_controller, code, headers) => {
      if (code < 200 && ++interim > maxInterim) throw failure('too many interim answers', 'HPE_INTERIM')
      if (code < 200) return
      status = code
      retryAfter = [headers['retry-after']].flat()[0] ?? null
      if (bodyTimeMs !== undefined) timer = setTimeout(stop, bodyTimeMs, failure('no more in time', 'ETIMEDOUT'))
    },
    onResponseData: (_controller, chunk) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) stop(failure('the answer is too large', tooLarge))
    },
    onResponseEnd: () => end(null),
    onResponseError: (_controller, error) => end(error),
  }
  return { handler, stop }
}

/**
 * Connections for each reach; `nameServers` (address and port) look up names instead of those of the system. Their package
 * is loaded with the first request, because it takes 5 MB and a tenth of a second.
 */
export class GuardedAgents {
  readonly #timeoutMs: number
  readonly #resolver: HostResolver
  readonly #agents = new Map<Reach, Promise<Agent>>()
  #isClosed = false

  constructor(options: {
    readonly clock: () => number
    readonly timeoutMs: number
    readonly nameServers?: readonly string[] | undefined
    readonly lookupTimes?: LookupTimes | undefined
  }) {
    this.#timeoutMs = options.timeoutMs
    this.#resolver = openResolver(options.clock, options.nameServers, options.lookupTimes)
  }

  #open(reach: Reach): Promise<Agent> {
    const known = this.#agents.get(reach)
    if (known) return known
    const opening = createGuardedAgent(reach, this.#timeoutMs, this.#resolver.resolve)
    this.#agents.set(reach, opening)
    // The next request tries again.
    opening.catch(() => this.#agents.delete(reach))
    return opening
  }

  async #dispatch(reach: Reach, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    if (this.#isClosed) throw new Error('the connections are closed')
    const agent = await this.#open(reach)
    agent.dispatch(request, handler)
  }

  /** Sends a request and reads its answer, all within the time limit; never throws. Follows no redirect. */
  exchange(
    text: string,
    reach: Reach,
    request: Pick<Dispatcher.DispatchOptions, 'method' | 'headers' | 'body'>,
    limits: ReadLimits,
  ): Promise<Exchange> {
    return new Promise((resolve) => {
      const { handler, stop } = follow(limits, (exchange) => {
        clearTimeout(timer)
        resolve(exchange)
      })
      const timer = setTimeout(stop, this.#timeoutMs, failure('no answer in time', 'ETIMEDOUT'))
      const send = async (): Promise<void> => {
        const url = new URL(text)
        await this.#dispatch(reach, { ...request, origin: url.origin, path: url.pathname + url.search }, handler)
      }
      send().catch(stop)
    })
  }

  /** Ends all requests and connections; later requests are rejected. */
  async close(): Promise<void> {
    this.#resolver.close()
    this.#isClosed = true
    await Promise.allSettled([...this.#agents.values()].map(async (opening) => (await opening).destroy()))
  }
}

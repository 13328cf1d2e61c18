import { isIP, type Socket } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import type { DeliveryError } from '../rules/notices/delivery.ts'
import { addressRefused, addressRefusedCode, guardLookup, isReachable, type Reach } from './address-guard.ts'
import { nameUnknownCode, type ResolveHost } from './open-resolver.ts'

const errors: readonly (readonly [DeliveryError, RegExp])[] = [
  ['address_refused', new RegExp(`^${addressRefusedCode}$`)],
  ['timeout', /TIMEOUT|ETIMEDOUT/],
  ['dns_failed', new RegExp(`^${nameUnknownCode}$`)],
  ['tls_failed', /CERT|^ERR_(TLS|SSL)|^EPROTO|SELF_SIGNED|ALTNAME|^UNABLE_TO/],
  ['connection_failed', /^(ECONNREFUSED|EHOST|ENET|EADDR|EACCES|EPERM)/],
  ['connection_lost', /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED)/],
  ['answer_malformed', /^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES|UND_ERR_INVALID)/],
]

/** Why a request got no answer, in one word. */
export const errorOf = (error: unknown): DeliveryError => {
  const {
    code,
    name,
    cause,
    errors: parts,
  } = error as {
    code?: unknown
    name?: unknown
    cause?: unknown
    errors?: readonly unknown[]
  }
  const found = errors.find(([, pattern]) => pattern.test(String(code ?? name)))
  if (found) return found[0]
  const inner = cause ?? parts?.[0]
  return inner ? errorOf(inner) : 'failed'
}

/** Most interim answers (1xx) before an answer; a server may send them without end, and each costs work. */
const maxInterim = 8

/** Counts the interim answers of one request; throws at the first one too many. */
export const countInterim = (): (() => void) => {
  let count = 0
  return () => {
    if (++count > maxInterim) throw Object.assign(new Error('too many interim answers'), { code: 'HPE_INTERIM' })
  }
}

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

/**
 * Connections for each reach. Their package is loaded with the first request, because it takes 5 MB and a tenth of a
 * second.
 */
export class GuardedAgents {
  readonly #create: (reach: Reach) => Promise<Agent>
  readonly #agents = new Map<Reach, Promise<Agent>>()
  #isClosed = false

  constructor(timeoutMs: number, resolveHost: ResolveHost) {
    this.#create = (reach) => createGuardedAgent(reach, timeoutMs, resolveHost)
  }

  #open(reach: Reach): Promise<Agent> {
    const known = this.#agents.get(reach)
    if (known) return known
    const opening = this.#create(reach)
    this.#agents.set(reach, opening)
    // The next request tries again.
    opening.catch(() => this.#agents.delete(reach))
    return opening
  }

  /** Sends a request; rejects if it cannot be sent, and reports everything later to the handler. */
  async dispatch(
    reach: Reach,
    request: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): Promise<void> {
    if (this.#isClosed) throw new Error('the connections are closed')
    const agent = await this.#open(reach)
    agent.dispatch(request, handler)
  }

  /** Ends all requests and connections; later requests are rejected. */
  async destroy(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled([...this.#agents.values()].map(async (opening) => (await opening).destroy()))
  }
}

import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Context } from '../../engine/context.ts'
import { second } from '../../rules/time.ts'
import { addressGroup } from '../access/address-group.ts'
import { matchAddresses } from '../access/address-list.ts'
import { countOpen } from '../access/count-open.ts'
import { answerClientError } from './answer-requests.ts'
import { Connection, type Held, type Linger, type Serve } from './connection.ts'
import { longestRequestMs } from './check-requests.ts'

/** What clients may keep waiting, in bytes and milliseconds. */
export type ConnectionLimits = {
  /** Bytes of responses that may wait for all clients together. */
  readonly waitingBytesInAll: number
  /** How often that is checked. */
  readonly lookEveryMs: number
  /** A client that reads none of its responses for this long is cut off. */
  readonly readWithinMs: number
  /** How long the rest of a body may keep arriving after the response. */
  readonly restWithinMs: number
  /** The same for the last response of a connection: how much may arrive, and for how long. */
  readonly linger: Linger
}

/** The limits of the service. */
export const usualLimits: ConnectionLimits = {
  waitingBytesInAll: 64 * 1024 * 1024,
  lookEveryMs: 500,
  readWithinMs: 30 * second,
  restWithinMs: 10 * second,
  linger: { bytes: 1024 * 1024, ms: 2 * second },
}

const warnEveryMs = 60 * second

/** The connections of the process, and how many bytes and requests they may hold. */
export class ServerConnections {
  readonly #context: Context
  readonly #limits: ConnectionLimits
  readonly #all = new Map<Socket, Connection>()
  readonly #perGroup = countOpen()
  readonly #held: Held = { count: 0 }
  readonly #isProxy: (address: string) => boolean
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(context: Context, limits = usualLimits) {
    this.#context = context
    this.#limits = limits
    this.#isProxy = matchAddresses(context.settings.trustProxy)
  }

  /** A server whose requests go through the limits. A name with several addresses has one server for each. */
  open(serve: Serve): Server {
    // The response of Node.js to a missing Host would not be a problem document; see checkHeaders.
    const server = createServer(
      { requireHostHeader: false, connectionsCheckingInterval: 5 * second },
      (request, response) => {
        const connection = this.#all.get(request.socket)
        if (connection) connection.take(request, response)
        else request.socket.destroy()
      },
    )
    server.keepAliveTimeout = 72 * second
    server.headersTimeout = 15 * second
    server.requestTimeout = longestRequestMs
    if (this.#context.settings.connections > 0) server.maxConnections = this.#context.settings.connections
    server.on('connection', (socket: Socket) => this.#add(socket, serve))
    server.on('clientError', (error: Error & { code?: string }, socket) => {
      const connection = this.#all.get(socket as Socket)
      // A client or proxy that cuts its connection waits for no response.
      if (!connection || error.code === 'ECONNRESET') {
        socket.destroy()
        return
      }
      const requestId = this.#context.newId()
      const code = answerClientError(error, connection, requestId)
      this.#context.log.info({ requestId, outcome: 'refused', code }, 'request')
    })
    server.on('drop', () =>
      this.#warn('more connections than PAYIN_CONNECTIONS or the limit of open files (ulimit -n) allows'),
    )
    // Node.js would refuse an unknown Expect without a problem document.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response))
    server.on('timeout', (socket: Socket) => {
      const connection = this.#all.get(socket)
      // A running request, such as a long poll, may be silent; bytes that nobody reads may not wait.
      if (!connection?.isBusy || connection.waitingBytes() > 0) socket.destroy()
    })
    const looking = setInterval(() => this.#look(), this.#limits.lookEveryMs).unref()
    server.on('close', () => clearInterval(looking))
    return server
  }

  #add(socket: Socket, serve: Serve): void {
    const address = socket.remoteAddress ?? ''
    const group = addressGroup(address)
    const { connectionsPerAddress } = this.#context.settings
    if (connectionsPerAddress > 0 && this.#perGroup.isFull([group, connectionsPerAddress]) && !this.#isProxy(address)) {
      this.#warn('an address has more connections than PAYIN_CONNECTIONS_PER_ADDRESS', address)
      return void socket.destroy()
    }
    const release = this.#perGroup.take([group])
    const connection = new Connection(socket, group, serve, this.#held, this.#limits.linger)
    this.#all.set(socket, connection)
    socket.once('close', () => {
      this.#all.delete(socket)
      connection.close()
      release()
    })
  }

  #look(): void {
    const now = this.#context.ticks()
    const { restWithinMs, readWithinMs, waitingBytesInAll } = this.#limits
    let bytesInAll = 0
    const waiting: Connection[] = []
    for (const connection of this.#all.values()) {
      const { socket, unread } = connection
      if (unread?.request.complete) connection.unread = undefined
      else if (unread && now - (unread.since ??= now) > restWithinMs) socket.destroy()
      const bytes = connection.isBusy || socket.writableLength > 0 ? connection.waitingBytes() : 0
      if (bytes > 0) {
        bytesInAll += bytes
        waiting.push(connection)
        // Not earlier: a timer for every request would cost more than parsing it.
        if (!socket.timeout) socket.setTimeout(readWithinMs)
      }
      connection.isStuck = bytes > 0 && bytes >= connection.waitedBytes && connection.waitedBytes > 0
      connection.waitedBytes = bytes
    }
    if (bytesInAll > waitingBytesInAll) this.#cut(waiting, bytesInAll)
  }

  /** Cuts off clients that read nothing, and if that is not enough, those with the most unread bytes. */
  #cut(waiting: readonly Connection[], bytesInAll: number): void {
    let left = bytesInAll
    const order = waiting.toSorted((a, b) => Number(b.isStuck) - Number(a.isStuck) || b.waitedBytes - a.waitedBytes)
    for (const connection of order) {
      if (left <= this.#limits.waitingBytesInAll) break
      left -= connection.waitedBytes
      connection.socket.destroy()
    }
    this.#warn('clients do not read their responses; some connections were closed')
  }

  #warn(what: string, peer?: string): void {
    const now = this.#context.ticks()
    if (now - this.#warnedAt < warnEveryMs) return
    this.#warnedAt = now
    const hint = peer === undefined ? '' : '; if it is your proxy, name it in PAYIN_TRUST_PROXY'
    this.#context.log.warn({ connections: this.#all.size, peer }, `${what}${hint}`)
  }
}

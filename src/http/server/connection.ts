import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Handles a request; the entry of the web framework. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** How many requests all connections of a process hold back. */
export type Held = { count: number }

/** How much a client may still send, and for how long, once its last response is on its way. */
export type Linger = { readonly bytes: number; readonly ms: number }

/** Requests of one connection that run at one time. Few clients send the next one before they have the response. */
const maxAtWork = 4
/** No further request of a connection begins while this many bytes of responses wait for its client. */
const maxWaitingBytes = 256 * 1024
/** Requests that may queue after those that run: as many as one read of the socket (64 KiB) usually has. */
const maxHeld = 512
/** The same for all connections together: 4 kB each. */
const maxHeldInAll = 4096
/** How long a client has to read the last response before its connection is cut, in milliseconds. */
const graceMs = 2000

/**
 * A connection and its requests that have no response yet. Node.js reads whatever a client sends, up to 64 KiB at a
 * time, and would start all requests in it at the same time. Here the first few begin, the others wait for their turn,
 * and the socket is not read meanwhile; a client that sends even more loses the connection.
 */
export class Connection {
  readonly socket: Socket
  readonly group: string
  /** Requests that have begun, in the order of their responses. */
  readonly #open: ServerResponse[] = []
  readonly #waiting: ServerResponse[] = []
  readonly #serve: Serve
  readonly #heldInAll: Held
  readonly #linger: Linger
  #isPaused = false
  #isEnding = false
  #isNextDue = false
  #last: (() => void) | undefined
  /** Bytes that waited for the client at the last check. */
  waitedBytes = 0
  /** Whether the client has read none of them since the check before. */
  isStuck = false
  /** A request whose body is still arriving after its response, and when that was noticed. */
  unread: { readonly request: IncomingMessage; since?: number } | undefined

  constructor(socket: Socket, group: string, serve: Serve, heldInAll: Held, linger: Linger) {
    this.socket = socket
    this.group = group
    this.#serve = serve
    this.#heldInAll = heldInAll
    this.#linger = linger
    // Node.js reads on after each response and with each body, whoever has paused the socket.
    socket.on('resume', () => {
      if (this.#waiting.length > 0) socket.pause()
    })
    // Node.js calls this after a response with `connection: close`.
    const closeAtOnce = socket.destroySoon.bind(socket)
    socket.destroySoon = () => {
      const isUnread = this.#open.at(-1)?.req.complete === false
      if (isUnread) this.#endSlowly()
      else closeAtOnce()
    }
  }

  /** Whether a request waits for its response. */
  get isBusy(): boolean {
    return this.#open.length > 0
  }

  /** Bytes of responses that the client has not read yet. */
  waitingBytes(): number {
    let bytes = this.socket.writableLength
    // A response gets the socket only when all before it are sent; until then it keeps its bytes.
    for (const response of this.#open) if (response.socket === null) bytes += response.writableLength
    return bytes
  }

  /** Starts a request, or keeps it until those before it are answered. */
  take(request: IncomingMessage, response: ServerResponse): void {
    // It came after the last response.
    if (this.#isEnding) return void request.resume()
    this.unread = undefined
    if (this.#waiting.length === 0 && this.#mayBegin()) return this.#begin(request, response)
    if (this.#waiting.length >= maxHeld || this.#heldInAll.count >= maxHeldInAll) return void this.socket.destroy()
    this.#waiting.push(response)
    this.#heldInAll.count++
    this.#isPaused = true
    this.socket.pause()
  }

  /**
   * Ends the connection after a request that cannot be read: `text` is its response, sent after those of earlier
   * requests. A client that then does not close its side is cut off.
   */
  endWith(text: string): void {
    const { socket } = this
    if (socket.destroyed) return
    const broken = this.#open.at(-1)
    // The last request is the one in error if the rest of it has not arrived. It may have been answered already.
    const isOwn = broken?.req.complete === false
    const isAnswered = isOwn && broken.headersSent
    const last = (): void => {
      if (this.#open.length > (isOwn ? 1 : 0) || this.#waiting.length > 0) return
      this.#last = undefined
      if (socket.writable && !isAnswered) socket.end(text)
    }
    this.#last = last
    last()
    setTimeout(() => socket.destroy(), graceMs).unref()
  }

  /** Forgets all requests: the socket is closed. */
  close(): void {
    this.#heldInAll.count -= this.#waiting.length
    this.#waiting.length = 0
    this.#open.length = 0
    this.#last = undefined
  }

  /**
   * Closes our side only and discards what still arrives. Closing a socket with unread data resets the connection, and
   * a client that is still sending its body would lose the response that says why it was refused.
   */
  #endSlowly(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    const { socket } = this
    const { bytes, ms } = this.#linger
    socket.end()
    const most = socket.bytesRead + bytes
    socket.on('data', () => {
      if (socket.bytesRead > most) socket.destroy()
    })
    const late = setTimeout(() => socket.destroy(), ms).unref()
    socket.once('close', () => clearTimeout(late))
  }

  #mayBegin(): boolean {
    const { length } = this.#open
    return length === 0 || (length < maxAtWork && this.waitingBytes() <= maxWaitingBytes)
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#open.push(response)
    response.on('close', this.#answered)
    this.#serve(request, response)
  }

  readonly #answered = (): void => {
    const response = this.#open.shift()
    if (!response) return
    if (!response.req.complete) this.unread = { request: response.req }
    if (this.#waiting.length > 0) {
      if (!this.#isNextDue) setImmediate(this.#beginNext)
      this.#isNextDue = true
    } else if (this.#isPaused) {
      this.#isPaused = false
      this.socket.resume()
    }
    this.#last?.()
  }

  // In its own turn of the event loop: a client that pipelines would otherwise keep all others waiting.
  readonly #beginNext = (): void => {
    this.#isNextDue = false
    while (this.#waiting.length > 0 && this.#mayBegin()) {
      const next = this.#waiting.shift() as ServerResponse
      this.#heldInAll.count--
      this.#begin(next.req, next)
    }
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Answers a request; the web framework's entry. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** What the connections of a process may hold together. */
export type Held = { count: number }

/** How much a client may still send, and for how long, once its last answer is on its way. */
export type Linger = { readonly bytes: number; readonly ms: number }

/** Requests of one connection that are worked on at a time. Few clients send the next before they have the answer. */
const maxAtWork = 4
/** No further request of a connection begins while this many bytes of answers wait for its client. */
const maxWaitingBytes = 256 * 1024
/** Requests that may queue after those at work: as many as one read of the socket (64 KiB) usually has. */
const maxHeld = 512
/** The same for all connections together: 4 kB each. */
const maxHeldInAll = 4096
/** How long a client has to read the last answer before its connection is cut, in milliseconds. */
const graceMs = 2000

/**
 * A connection and its requests that are not answered yet. Node.js reads whatever a client sends, up to 64 KiB at a time,
 * and would start all requests in it at the same time. Here the first few begin, the others wait for their turn, and
 * the socket is not read meanwhile; a client that sends still more loses the connection.
 */
export class Connection {
  readonly socket: Socket
  readonly group: string
  /** Requests that have begun, in the order of their answers. */
  readonly #open: ServerResponse[] = []
  readonly #waiting: ServerResponse[] = []
  readonly #serve: Serve
  readonly #heldInAll: Held
  readonly #linger: Linger
  #isPaused = false
  #isEnding = false
  #isNextDue = false
  #last: (() => void) | undefined
  /** Bytes that waited for the client when it was last looked at. */
  waitedBytes = 0
  /** Whether the client has read nothing of them since the time before. */
  isStuck = false
  /** The request whose body goes on after its answer, and when that was noticed. */
  unread: { readonly request: IncomingMessage; since?: number } | undefined

  constructor(socket: Socket, group: string, serve: Serve, heldInAll: Held, linger: Linger) {
    this.socket = socket
    this.group = group
    this.#serve = serve
    this.#heldInAll = heldInAll
    this.#linger = linger
    // Node.js calls this after an answer with `connection: close`.
    const closeAtOnce = socket.destroySoon.bind(socket)
    socket.destroySoon = () => {
      const isUnread = this.#open.at(-1)?.req.complete === false
      if (isUnread) this.#endSlowly()
      else closeAtOnce()
    }
  }

  /** Whether a request waits for its answer. */
  get isBusy(): boolean {
    return this.#open.length > 0
  }

  /** Bytes of answers that the client has not read yet. */
  waitingBytes(): number {
    let bytes = this.socket.writableLength
    // An answer has the socket only when all before it are sent; until then it keeps its bytes.
    for (const response of this.#open) if (response.socket === null) bytes += response.writableLength
    return bytes
  }

  /** Starts a request, or keeps it until those before it are answered. */
  take(request: IncomingMessage, response: ServerResponse): void {
    // It comes after the last answer.
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
   * Ends the connection after a request that cannot be read: `text` is the answer to it, once the requests before it have
   * theirs. A client that does not close its side then is cut off.
   */
  endWith(text: string): void {
    const { socket } = this
    if (socket.destroyed) return
    const broken = this.#open.at(-1)
    // The last request is the one in error if the rest of it has not come. It may have been answered already.
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
   * Closes our side only, and throws away what else comes: to close a socket that has something to read resets the
   * connection, and a client that is still writing its body then loses the answer that says why it was refused.
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

  // In a turn of its own: a client that pipelines would otherwise keep all others waiting.
  readonly #beginNext = (): void => {
    this.#isNextDue = false
    while (this.#waiting.length > 0 && this.#mayBegin()) {
      const next = this.#waiting.shift() as ServerResponse
      this.#heldInAll.count--
      this.#begin(next.req, next)
    }
  }
}

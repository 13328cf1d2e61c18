import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { sharesSession } from './prepare-session.ts'

const reconnectEveryMs = 1000

/** Where to listen for notifications. */
export type ListenOptions = {
  readonly Client: typeof pg.Client
  readonly config: pg.ClientConfig
}

type Handler = (payload: string) => void

/**
 * Listens to any number of channels on one connection, which is opened for the first one and renewed whenever it is
 * lost.
 */
export class Listener {
  readonly #options: ListenOptions
  readonly #handlers = new Map<string, Set<Handler>>()
  #connecting: Promise<boolean> | undefined
  #client: pg.Client | undefined
  /** The connection runs one command at a time. */
  #turn: Promise<unknown> = Promise.resolve()
  #ended = false

  constructor(options: ListenOptions) {
    this.#options = options
  }

  /**
   * Calls `handler` with each notification. Returns a function that ends that, or undefined if a pooler shares
   * sessions: the session that listens would be given to somebody else.
   */
  async listen(channel: string, handler: Handler): Promise<(() => Promise<void>) | undefined> {
    const handlers = this.#handlers.get(channel) ?? new Set()
    this.#handlers.set(channel, handlers.add(handler))
    this.#ended = false
    const isConnected = this.#client !== undefined
    if (!(await (this.#connecting ??= this.#connect()))) return undefined
    if (isConnected) await this.#run(`listen ${pg.escapeIdentifier(channel)}`)
    return () => this.#end(channel, handler)
  }

  async #connect(): Promise<boolean> {
    const { Client, config } = this.#options
    try {
      const next = new Client(config)
      next.on('error', () => undefined)
      next.on('notification', ({ channel, payload }) => {
        for (const handler of this.#handlers.get(channel) ?? []) handler(payload ?? '')
      })
      await next.connect()
      if (await sharesSession(next)) {
        await next.end()
        return false
      }
      this.#client = next
      // A channel that was added meanwhile is listened to twice, which PostgreSQL treats as once.
      for (const channel of [...this.#handlers.keys()]) await this.#run(`listen ${pg.escapeIdentifier(channel)}`)
      next.once('end', () => void this.#reconnect())
      return true
    } catch (error) {
      this.#connecting = undefined
      throw error
    }
  }

  async #run(command: string): Promise<void> {
    const turn = this.#turn.then(() => this.#client?.query(command))
    this.#turn = turn.catch(() => undefined)
    await turn
  }

  async #reconnect(): Promise<void> {
    this.#client = undefined
    this.#connecting = undefined
    while (!this.#ended && this.#connecting === undefined) {
      await sleep(reconnectEveryMs, undefined, { ref: false })
      if (this.#ended || this.#connecting !== undefined) return
      this.#connecting = this.#connect()
      await this.#connecting.catch(() => undefined)
    }
  }

  async #end(channel: string, handler: Handler): Promise<void> {
    const handlers = this.#handlers.get(channel)
    handlers?.delete(handler)
    if (handlers?.size !== 0) return
    this.#handlers.delete(channel)
    if (this.#handlers.size > 0) {
      await this.#run(`unlisten ${pg.escapeIdentifier(channel)}`)
      return
    }
    this.#ended = true
    const client = this.#client
    this.#connecting = undefined
    await this.#turn
    await client?.end()
  }
}

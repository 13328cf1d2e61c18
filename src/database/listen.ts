import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { sharesSession } from './prepare-session.ts'

const reconnectEveryMs = 1000

/** Where notifications are listened for. */
export type ListenOptions = {
  readonly Client: typeof pg.Client
  readonly config: pg.ClientConfig
  readonly channel: string
  readonly handler: (payload: string) => void
}

/**
 * Keeps one connection that listens, renewed whenever it is lost; returns how to end it, or undefined where a pooler shares
 * sessions: the session that listened would be given to somebody else.
 */
export const startListening = async (options: ListenOptions): Promise<(() => Promise<void>) | undefined> => {
  const { Client, config, channel, handler } = options
  let ended = false
  let client: pg.Client | undefined
  const connect = async (): Promise<boolean> => {
    const next = new Client(config)
    next.on('error', () => undefined)
    next.on('notification', (message) => handler(message.payload ?? ''))
    await next.connect()
    if (await sharesSession(next)) {
      await next.end()
      return false
    }
    await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    client = next
    next.once('end', () => void reconnect())
    return true
  }
  const reconnect = async (): Promise<void> => {
    while (!ended) {
      await sleep(reconnectEveryMs, undefined, { ref: false })
      if (ended || (await connect().catch(() => false))) return
    }
  }
  if (!(await connect())) return undefined
  return async () => {
    ended = true
    await client?.end()
  }
}

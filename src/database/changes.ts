import type { Database } from './database.ts'
import { statement, text } from './statement.ts'

const channel = 'payin_changes'

const notify = statement({
  name: 'notify_change',
  parameters: { channel: text, key: text },
  row: {},
  text: `select from pg_notify(:channel, :key)`,
})

/** "Something about this key has changed", within this process and, as a hint, between processes. */
export type Changes = {
  /** Tells everybody who waits for one of the keys; on PostgreSQL the other processes, too. */
  publish(keys: readonly string[]): void
  /** Calls `listener` at every change of `key` until the returned function is called. */
  subscribe(key: string, listener: () => void): () => void
  /** Ends all waiting at shutdown: every listener is called once and later subscriptions at once. */
  close(): void
  /** Whether the service is stopping. */
  closed(): boolean
}

/** Opens the bus of changes over a database. */
export const openChanges = async (database: Database): Promise<Changes> => {
  const listeners = new Map<string, Set<() => void>>()
  let stopped = false
  const tell = (key: string): void => {
    for (const listener of [...(listeners.get(key) ?? [])]) listener()
  }
  await database.listen(channel, tell)
  return {
    publish: (keys) => {
      for (const key of keys) {
        tell(key)
        // A hint for the other processes only: when it is lost, they still poll.
        if (database.engine === 'postgres') database.query(notify, { channel, key }).catch(() => undefined)
      }
    },
    subscribe: (key, listener) => {
      if (stopped) queueMicrotask(listener)
      const set = listeners.get(key) ?? new Set()
      listeners.set(key, set.add(listener))
      return () => {
        set.delete(listener)
        if (set.size === 0 && listeners.get(key) === set) listeners.delete(key)
      }
    },
    closed: () => stopped,
    close: () => {
      stopped = true
      for (const key of [...listeners.keys()]) tell(key)
    },
  }
}

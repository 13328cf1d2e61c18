import type { Database } from './database.ts'
import { coalesce } from './coalesce.ts'
import { array, query, text } from './query.ts'

/** Each schema has a channel, so that no schema receives the changes of others. */
const channelOf = (schema: string | undefined): string =>
  schema === undefined ? 'payin_changes' : `payin_changes ${schema}`

const notify = query('notify_changes', {
  parameters: { channel: text, payloads: array(text) },
  text: `select from unnest(:payloads) as hint (payload) cross join lateral pg_notify(:channel, hint.payload)`,
})

/** PostgreSQL limits a notification to less than 8000 bytes. */
const maxPayload = 7900

/** The sender's name and keys, joined by line feeds, as many as fit into each payload. */
const toPayloads = (sender: string, keys: readonly string[]): string[] => {
  const payloads: string[] = []
  for (const key of keys) {
    const last = payloads.at(-1)
    if (last !== undefined && last.length + key.length < maxPayload) payloads[payloads.length - 1] = `${last}\n${key}`
    else payloads.push(`${sender}\n${key}`)
  }
  return payloads
}

/**
 * Sends hints to the other processes, several in one query: one transaction may change a thousand rows.
 */
const hintFrom = (sender: string) =>
  coalesce(
    async (database: Database, lists: readonly (readonly string[])[]): Promise<null[]> => {
      const channel = channelOf(database.schema)
      await database.query(notify, { channel, payloads: toPayloads(sender, [...new Set(lists.flat())]) })
      return lists.map(() => null)
    },
    { name: 'publish-changes', maxBatch: 1000, maxWaiting: 10_000 },
  )

/** Keys are collected for this long, so that a thousand changes per second become a few hints. */
const gatherMs = 250

/** "Something about this key has changed", within this process and, as a hint, between processes. */
export type Changes = {
  /** Calls the listeners of the keys; on PostgreSQL also those of other processes. */
  publish(keys: readonly string[]): void
  /** Calls `listener` at every change of `key` until the returned function is called. */
  subscribe(key: string, listener: () => void): () => void
  /**
   * Publishes keys within a quarter of a second, each once however often it was gathered meanwhile. Cheap enough for
   * every change.
   */
  gather(keys: readonly string[]): void
  /** Calls `listener` with the key of every change until the returned function is called. */
  watch(listener: (key: string) => void): () => void
  /** Ends all waiting at shutdown: calls every listener once, and later ones as soon as they subscribe. */
  close(): void
  /** Whether the service is stopping. */
  closed(): boolean
}

/** Opens the change bus over a database; `name` must be unique among all open buses. */
export const openChanges = async (database: Database, name: string): Promise<Changes> => {
  const hint = hintFrom(name)
  const listeners = new Map<string, Set<() => void>>()
  let stopped = false
  const watchers = new Set<(key: string) => void>()
  const gathered = new Set<string>()
  const call = (key: string): void => {
    for (const watcher of [...watchers]) watcher(key)
    for (const listener of [...(listeners.get(key) ?? [])]) listener()
  }
  await database.listen(channelOf(database.schema), (payload) => {
    const [sender, ...keys] = payload.split('\n')
    // Our own hints come back as well; the local listeners have already been called.
    if (sender !== name) keys.forEach(call)
  })
  const publish = (keys: readonly string[]): void => {
    keys.forEach(call)
    // Only a hint for the other processes: if it is lost, they still poll.
    if (database.engine === 'postgres' && keys.length > 0) hint(database, keys).catch(() => undefined)
  }
  const publishGathered = (): void => {
    const keys = [...gathered]
    gathered.clear()
    if (!stopped) publish(keys)
  }
  return {
    publish,
    gather: (keys) => {
      if (keys.length > 0 && gathered.size === 0) setTimeout(publishGathered, gatherMs).unref()
      for (const key of keys) gathered.add(key)
    },
    watch: (listener) => {
      watchers.add(listener)
      return () => watchers.delete(listener)
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
      for (const key of [...listeners.keys()]) call(key)
    },
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../domain/refusal.ts'
import { sqlState } from './database-error.ts'
import type { Database, OpenTransaction, Queryable } from './database.ts'

/** The location of a tenant's schema. */
export type Site = {
  readonly server: string
  /** In its schema there. */
  readonly database: Database
  /** The database of the directory, if that is another server. */
  readonly directory: Queryable | undefined
}

/** What the directory says about a schema: its server, or that it is stopped, and whether only for seconds. */
export type Whereabouts = { readonly server: string; readonly stopped: 'no' | 'shortly' | 'longer' }

/** A database whose schema may be moved to another server while in use. */
export type MovableDatabase = Database & {
  /** Continues on another server; does nothing if it is the same one. */
  follow(server: string): Promise<void>
}

/** How long work waits for a schema that is being moved; then its tenant is refused with `database_unavailable`. */
const waitMs = 8000
const lookEveryMs = 50
/** Seconds after which a caller may try again for a tenant that is stopped for longer. */
const retryAfterSeconds = 10

/** A schema is renamed before it is moved or restored: from then on nobody finds its tables. */
const isGone = (error: unknown): boolean => ['42P01', '3F000'].includes(sqlState(error))

const stoppedFor = (seconds: number): Refusal =>
  new Refusal('database_unavailable', 'The tenant is being moved or restored; nothing was lost. Try again shortly.', {
    retryAfterSeconds: seconds,
  })

/**
 * Works where the schema currently is. A query that does not find its tables asks the directory: it waits while the
 * schema is being moved, and then runs at the new place. So a process that does not know of a move loses nothing and
 * writes nothing twice.
 */
export const openMovable = async (options: {
  readonly server: string
  readonly open: (server: string) => Promise<Site>
  /** Reads from the directory. */
  readonly locate: () => Promise<Whereabouts>
}): Promise<MovableDatabase> => {
  let site = await options.open(options.server)
  let moving: Promise<void> | undefined
  let locating: Promise<void> | undefined
  const listening: { readonly channel: string; readonly handler: (payload: string) => void }[] = []

  const go = async (server: string): Promise<void> => {
    if (server === site.server) return
    const former = site
    const next = await options.open(server)
    for (const { channel, handler } of listening) await next.database.listen(channel, handler)
    site = next
    await former.database.close()
  }
  const follow = (server: string): Promise<void> => (moving ??= go(server).finally(() => (moving = undefined)))

  const waitForSite = async (): Promise<void> => {
    for (let waited = 0; ; waited += lookEveryMs) {
      const { server, stopped } = await options.locate()
      if (stopped === 'no') return follow(server)
      if (stopped === 'longer') throw stoppedFor(retryAfterSeconds)
      if (waited >= waitMs) throw stoppedFor(2)
      await sleep(lookEveryMs)
    }
  }

  const wherever = async <T>(work: (at: Site) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      // No connection is used for a schema that is known to be moving.
      if (locating) await locating
      try {
        return await work(site)
      } catch (error) {
        if (!isGone(error) || attempt === 3) throw error
        locating ??= waitForSite().finally(() => (locating = undefined))
        await locating
      }
    }
  }

  return {
    engine: site.database.engine,
    schema: site.database.schema,
    follow,
    query: (query, parameters) => wherever(({ database }) => database.query(query, parameters)),
    transaction: (work) =>
      wherever(({ database, directory }) =>
        database.transaction((tx: OpenTransaction) => work(directory ? { ...tx, directory } : tx)),
      ),
    openSession: () => site.database.openSession(),
    listen: async (channel, handler) => {
      listening.push({ channel, handler })
      await site.database.listen(channel, handler)
    },
    inSchema: (schema) => site.database.inSchema(schema),
    isWritable: () => site.database.isWritable(),
    outage: () => site.database.outage(),
    usage: () => site.database.usage(),
    close: () => site.database.close(),
  }
}

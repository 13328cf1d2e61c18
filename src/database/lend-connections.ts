import type pg from 'pg'
import { CommitUnknown, isCut } from './database-error.ts'
import type { Connections } from './open-pool.ts'
import type { PreparedSession } from './prepare-session.ts'

/** A connection of the pool while it is in use, and its session for the schema that it was lent for. */
export type Lent = {
  readonly client: pg.PoolClient
  readonly session: PreparedSession
  broken?: Error | undefined
}

/** How many of the pool's connections are in use. */
export type PoolUsage = {
  readonly inUse: number
  readonly idle: number
  /** Callers that wait for a connection. */
  readonly waiting: number
  readonly most: number
}

/** The schema of some work; undefined means that of the connection's settings. */
export type SchemaOf = string | undefined

/** Most schemas for whose queries a session keeps names: each takes memory of the server. */
const maxNamed = 40
/** A waiter that has been passed over this often gets whichever connection becomes free. */
const patience = 20
/** With fewer connections than these, none is reserved for joint queries. */
const minForJoint = 4
/** A connection that has been unused for this long goes back to the pool, which closes it. */
const idleMs = 30_000

/** The schema that a session is in, and the schemas whose query names it keeps. */
type Whereabouts = { current: SchemaOf; readonly numbers: Map<SchemaOf, number> }

type Waiter = {
  passedOver: number
  readonly resolve: (slot: Slot) => void
  readonly reject: (error: Error) => void
}

/** Holds one connection, as long as it is used now and then. */
type Slot = {
  readonly number: number
  isBusy: boolean
  client: pg.PoolClient | undefined
  onLost: ((error: Error) => void) | undefined
  isUsed: boolean
}

const unconfirmed = (): Error =>
  Object.assign(new Error('no standby has confirmed a commit within the time limit'), { code: '57014' })

const hashOf = (schema: SchemaOf): number => {
  let hash = 7
  for (const letter of schema ?? '') hash = (hash * 31 + letter.charCodeAt(0)) >>> 0
  return hash
}

/**
 * Lends the connections of a pool to the work of schemas. With one schema it just uses the pool. With several, each
 * schema has a home connection, so that a session keeps the plans and tables of few schemas in memory (a fifth of the
 * memory, measured with 200 schemas); if the home is busy, any idle connection is used. Waiting schemas take turns, and
 * the last fifth of the connections is reserved for schemas that have none, so that one busy schema cannot take them
 * all.
 */
export class Lender {
  readonly #source: Pick<Connections, 'pool' | 'sessionOf'>
  readonly #home: SchemaOf
  readonly #size: number
  readonly #reserved: number
  readonly #waitMs: number
  readonly #whereabouts = new WeakMap<pg.ClientBase, Whereabouts>()
  readonly #held = new Map<SchemaOf, number>()
  /** In the order of their turns. */
  readonly #waiting = new Map<SchemaOf, Waiter[]>()
  #slots: Slot[] | undefined
  /** Reserved for queries of many schemas, which take turns on it. */
  #joint: Slot | undefined
  #timer: NodeJS.Timeout | undefined

  /** `waitMs` is how long the pool waits for a connection. */
  constructor(
    source: Pick<Connections, 'pool' | 'sessionOf'>,
    options: { readonly home: SchemaOf; readonly size: number; readonly waitMs: number },
  ) {
    this.#source = source
    this.#home = options.home
    this.#size = options.size
    this.#waitMs = options.waitMs
    this.#reserved = Math.floor(options.size / 5)
  }

  /** Prepares for a second schema; until then the pool is not shared. */
  share(): void {
    if (this.#slots) return
    this.#slots = Array.from({ length: this.#size }, (_, number) => {
      return { number, isBusy: false, client: undefined, onLost: undefined, isUsed: false }
    })
    if (this.#size >= minForJoint) this.#joint = this.#slots.pop()
    this.#timer = setInterval(() => this.#giveBackIdle(), idleMs).unref()
  }

  /** Runs `work` on a connection whose session is in the schema. */
  async lend<T>(schema: SchemaOf, work: (lent: Lent) => Promise<T>): Promise<T> {
    if (!this.#slots) {
      const client = await this.#source.pool.connect()
      return this.#use({ client, session: this.#source.sessionOf(client) }, work, (broken) => client.release(broken))
    }
    const slot = await this.#take(schema)
    try {
      const client = slot.client ?? (await this.#connect(slot))
      const release = (broken: Error | undefined): void => {
        if (broken || this.#isWorn(client)) this.#drop(slot, broken ?? true)
      }
      const entered = await this.#enter(client, schema).catch((error: Error) => {
        release(error)
        throw error
      })
      return await this.#use({ client, session: entered }, work, release)
    } finally {
      this.#give(slot, schema)
    }
  }

  /**
   * Runs `work` on the connection that is reserved for queries of many schemas, whichever schema it is in; the
   * transactions of `work` enter their own schemas. One call at a time; undefined if there is no such connection.
   */
  async lendJoint<T>(work: (lent: Lent) => Promise<T>): Promise<T | undefined> {
    const slot = this.#joint
    if (!slot) return undefined
    slot.isBusy = true
    try {
      const client = slot.client ?? (await this.#connect(slot))
      const lent = { client, session: this.#source.sessionOf(client) }
      return await this.#use(lent, work, (broken) => broken && this.#drop(slot, broken))
    } finally {
      slot.isBusy = false
      slot.isUsed = true
      if (!this.#slots) this.#drop(slot, false)
    }
  }

  /** How many connections all schemas together use. */
  usage(): PoolUsage {
    const { totalCount, idleCount, waitingCount } = this.#source.pool
    const inUse = this.#slots ? this.#all().filter(({ isBusy }) => isBusy).length : totalCount - idleCount
    const inTurn = [...this.#waiting.values()].reduce((sum, waiters) => sum + waiters.length, 0)
    return { inUse, idle: Math.max(totalCount - inUse, 0), waiting: waitingCount + inTurn, most: this.#size }
  }

  /** Returns all connections to the pool, so that it can be closed. */
  close(): void {
    clearInterval(this.#timer)
    for (const slot of this.#all()) {
      if (!slot.isBusy) this.#drop(slot, false)
    }
    this.#slots = undefined
  }

  #all(): Slot[] {
    return [...(this.#slots ?? []), ...(this.#joint ? [this.#joint] : [])]
  }

  async #connect(slot: Slot): Promise<pg.PoolClient> {
    const client = await this.#source.pool.connect()
    slot.client = client
    // A connection that is lost while idle must not be lent.
    slot.onLost = (error) => {
      if (!slot.isBusy) this.#drop(slot, error)
    }
    client.on('error', slot.onLost)
    return client
  }

  #drop(slot: Slot, reason: Error | boolean): void {
    const { client, onLost } = slot
    if (!client) return
    slot.client = undefined
    if (onLost) client.off('error', onLost)
    client.release(reason)
  }

  async #use<T>(lent: Lent, work: (lent: Lent) => Promise<T>, release: (broken: Error | undefined) => void) {
    // A connection that dies in use emits 'error'; without a listener that would end the process.
    const onError = (error: Error): void => {
      lent.broken = error
    }
    // After a time limit, PostgreSQL answers a commit that no standby has confirmed as if one had; the message text is
    // translated.
    const onNotice = ({ routine }: { readonly routine?: string | undefined }): void => {
      if (routine === 'SyncRepWaitForLSN') lent.broken = new CommitUnknown(unconfirmed())
    }
    lent.client.on('error', onError)
    lent.client.on('notice', onNotice)
    try {
      const result = await work(lent)
      if (lent.broken instanceof CommitUnknown) throw lent.broken
      return result
    } catch (error) {
      if (isCut(error) || error instanceof CommitUnknown) lent.broken ??= error as Error
      throw error
    } finally {
      lent.client.off('error', onError)
      lent.client.off('notice', onNotice)
      release(lent.broken)
    }
  }

  /**
   * Puts the session into the schema by its search path: permanently if the session is our own, else in each
   * transaction.
   */
  async #enter(client: pg.PoolClient, schema: SchemaOf): Promise<PreparedSession> {
    const session = this.#source.sessionOf(client)
    if (session.isShared) {
      if (schema === this.#home) return session
      return { ...session, begin: `${session.begin}; set local search_path = ${schema}`, isLocal: true }
    }
    const known = this.#whereabouts.get(client) ?? { current: this.#home, numbers: new Map<SchemaOf, number>() }
    this.#whereabouts.set(client, known)
    if (known.current !== schema) {
      await client.query(schema === undefined ? 'reset search_path' : `set search_path = ${schema}`)
      known.current = schema
    }
    if (schema === this.#home || session.prefix === undefined) return session
    const number = known.numbers.get(schema) ?? known.numbers.size + 1
    // PostgreSQL replans a kept query whenever it runs on another search path: each schema needs its own names.
    if (number > maxNamed) return { ...session, prefix: undefined }
    known.numbers.set(schema, number)
    return { ...session, prefix: `${number}_` }
  }

  #isWorn(client: pg.ClientBase): boolean {
    // The embedded engine has only one session, which is kept.
    return this.#size > 1 && (this.#whereabouts.get(client)?.numbers.size ?? 0) >= maxNamed
  }

  #homeOf(schema: SchemaOf): number {
    return hashOf(schema) % (this.#slots?.length ?? 1)
  }

  #mayTake(schema: SchemaOf, free: number): boolean {
    return free > this.#reserved || (free > 0 && !this.#held.get(schema))
  }

  /** The most suitable connection: the home, one that is already in the schema, an open one, or a new one. */
  #pick(schema: SchemaOf): Slot | undefined {
    const free = (this.#slots ?? []).filter((slot) => !slot.isBusy)
    if (!this.#mayTake(schema, free.length)) return undefined
    const home = this.#homeOf(schema)
    const isIn = ({ client }: Slot): boolean =>
      client !== undefined && this.#whereabouts.get(client)?.current === schema
    return (
      free.find((slot) => slot.number === home) ??
      free.find(isIn) ??
      free.find((slot) => slot.client !== undefined) ??
      free[0]
    )
  }

  #hold(slot: Slot, schema: SchemaOf): Slot {
    slot.isBusy = true
    this.#held.set(schema, (this.#held.get(schema) ?? 0) + 1)
    return slot
  }

  #take(schema: SchemaOf): Promise<Slot> | Slot {
    const slot = this.#waiting.has(schema) ? undefined : this.#pick(schema)
    if (slot) return this.#hold(slot, schema)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#forget(schema, waiter)
        reject(new Error('timeout exceeded when trying to connect'))
      }, this.#waitMs)
      const waiter: Waiter = {
        passedOver: 0,
        resolve: (found) => {
          clearTimeout(timer)
          resolve(found)
        },
        reject,
      }
      const queue = this.#waiting.get(schema) ?? []
      queue.push(waiter)
      this.#waiting.set(schema, queue)
    })
  }

  #forget(schema: SchemaOf, waiter: Waiter): void {
    const left = this.#waiting.get(schema)?.filter((each) => each !== waiter) ?? []
    if (left.length === 0) this.#waiting.delete(schema)
    else this.#waiting.set(schema, left)
  }

  #give(slot: Slot, schema: SchemaOf): void {
    slot.isBusy = false
    slot.isUsed = true
    const held = (this.#held.get(schema) ?? 1) - 1
    if (held > 0) this.#held.set(schema, held)
    else this.#held.delete(schema)
    // The lender was closed meanwhile.
    if (!this.#slots) this.#drop(slot, false)
    for (let isServed = true; isServed; ) isServed = this.#serveOne()
  }

  /** Serves the next waiter if a connection is free for it; schemas take turns. */
  #serveOne(): boolean {
    const free = (this.#slots ?? []).filter((slot) => !slot.isBusy)
    if (free.length === 0 || this.#waiting.size === 0) return false
    const waiting = [...this.#waiting].filter(([schema]) => this.#mayTake(schema, free.length))
    const isImpatient = ([, [first]]: (typeof waiting)[number]): boolean =>
      first !== undefined && first.passedOver > patience
    const isAtHome = ([schema]: (typeof waiting)[number]): boolean => {
      const home = this.#homeOf(schema)
      return free.some((slot) => slot.number === home)
    }
    const next = waiting.find(isImpatient) ?? waiting.find(isAtHome) ?? waiting[0]
    const [schema, queue] = next ?? []
    const waiter = queue?.shift()
    const slot = waiter && this.#pick(schema)
    for (const [, [first]] of waiting) if (first) first.passedOver++
    if (!slot || !queue) return false
    this.#waiting.delete(schema)
    if (queue.length > 0) this.#waiting.set(schema, queue)
    waiter.resolve(this.#hold(slot, schema))
    return true
  }

  #giveBackIdle(): void {
    for (const slot of this.#all()) {
      // The joint connection keeps queries of many schemas; nobody else can use those.
      if (!slot.isBusy && !slot.isUsed) this.#drop(slot, slot === this.#joint)
      slot.isUsed = false
    }
  }
}

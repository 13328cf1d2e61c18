import { randomFillSync } from 'node:crypto'
import type { Say } from '../rules/notices/alert-message.ts'
import type { Logger } from 'pino'
import { v7 } from 'uuid'
import type { Settings } from '../settings/config.ts'
import { type Catalog, openCatalog } from './catalog.ts'
import type { Database, Queryable } from 'payin-database'
import { type Changes, openChanges } from './changes.ts'
import type { Role } from '../rules/members/access.ts'
import { type Instant, minute } from '../rules/time.ts'
import type { FileStorage } from '../gateways/file-storage.ts'
import type { MailSender } from '../gateways/mail-sender.ts'
import type { Depots } from '../gateways/depots/open-depot.ts'
import type { WebClient } from '../gateways/web-client.ts'
import type { WebhookSender } from '../gateways/webhook-sender.ts'
import type { Meter } from '../metrics/meter.ts'
import { type CheckoutTokens, createCheckoutTokens, createLinkTokens, type LinkTokens } from '../secrets/id-tokens.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Spans } from '../tracing/spans.ts'

/** What a use case may use inside a transaction. */
export type Tx = Queryable & {
  /** The time of the transaction, the same for everything that it writes. */
  readonly now: Instant
  /** A new UUID of version 7. */
  readonly newId: () => string
  readonly vault: Vault
  /** Read the catalog before the transaction: on the embedded engine nothing else runs while a transaction is open. */
  readonly catalog: Pick<Catalog, 'invalidate'>
  readonly changes: Changes
  /**
   * Collects `rows` for `write`, which gets everything that was collected for it once, as the last work before the
   * commit. So what it locks, and others wait for, is held no longer than needed.
   */
  beforeCommit<T>(write: (tx: Tx, rows: readonly T[]) => Promise<void>, rows: readonly T[]): void
  /** Runs `callback` once the transaction has been committed. */
  afterCommit(callback: () => void): void
}

/** A user of the operator API by token. */
export type Operator = {
  readonly name: string
  readonly role: Role
  readonly tokenHash: string
}

/** An operator who sets what two must agree on if `needsSecond`; `hasTwo` if two people move money. */
export type Agreeing = {
  readonly actor: string
  readonly needsSecond: boolean
  readonly hasTwo: boolean
  /** Refuses `second_person_required` unless the author is certainly another person. */
  readonly refuseOnePerson: (tx: Tx, author: string) => Promise<void>
}

/** Everything that a use case may use. A query on it is a separate transaction. */
export type Context = Queryable & {
  readonly settings: Settings
  readonly engine: Database['engine']
  /** Whether the database can take writes, as far as known without a query. */
  readonly isWritable: () => boolean
  /** The number of the database's current outage, as far as known without a query; 0 if there is none. */
  readonly outage: () => number
  /** Runs `work` in one transaction, and repeats all of it if the database requires that; `work` must be idempotent. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** The one clock. */
  readonly clock: () => Instant
  /** Whether the clock of this process and the database's agree: while they do not, what time brings about must wait. */
  readonly isTimeCertain: () => boolean
  /** Milliseconds of the monotonic clock, for spans of real time within this process. */
  readonly ticks: () => number
  readonly newId: () => string
  readonly vault: Vault
  readonly checkoutTokens: CheckoutTokens
  readonly linkTokens: LinkTokens
  readonly catalog: Catalog
  readonly changes: Changes
  /** Sends notifications to the endpoints of merchants, and alerts to those of operators. */
  readonly webhooks: WebhookSender
  /** Requests to machines that the operator names. */
  readonly web: WebClient
  /** Where files of banks are picked up. */
  readonly depots: Depots
  /** The operator's mail server; undefined if there is none. */
  readonly mail: MailSender | undefined
  /** Says an English text in the language of alerts; undefined if that is English. */
  readonly say: Say | undefined
  /** The file storage; undefined if files are kept in the database. */
  readonly files: FileStorage | undefined
  readonly log: Logger
  /** Where the process counts its work. */
  readonly meter: Meter
  /** Traces; undefined if no OpenTelemetry SDK is registered. */
  readonly spans: Spans | undefined
  /** Operators by name, with the SHA-256 of each one's token. */
  readonly operators: readonly Operator[]
}

// Ids of one process strictly increase, even within a millisecond, so that a feed ordered by id is ordered by time.
// Random bytes are drawn for many ids together: drawing them one at a time took 7 % of a busy process.
const createIds = (clock: () => Instant): (() => string) => {
  const pool = new Uint8Array(16 * 1024)
  let used = pool.length
  let last = 0
  let seq = 0
  return () => {
    const now = clock()
    // A clock that was far ahead must not date all later ids.
    const isAnother = now > last || now < last - minute
    seq = isAnother ? 0 : seq + 1
    if (isAnother) last = now
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += 16
    return v7({ msecs: last, seq, random: pool.subarray(used - 16, used) })
  }
}

/** Runs `work`, then what it has collected for the end of the transaction. */
const workToEnd = async <T>(tx: Omit<Tx, 'beforeCommit'>, work: (tx: Tx) => Promise<T>): Promise<T> => {
  const collected = new Map<(tx: Tx, rows: readonly never[]) => Promise<void>, unknown[]>()
  const whole: Tx = {
    ...tx,
    beforeCommit: (write, rows) => {
      const others = collected.get(write) ?? []
      for (const row of rows) others.push(row)
      collected.set(write, others)
    },
  }
  const result = await work(whole)
  for (const [write, rows] of collected) {
    // What it collects itself is written after it.
    collected.delete(write)
    await write(whole, rows as never[])
  }
  return result
}

/** Assembles the context over an open, migrated database. */
export const createContext = async (options: {
  readonly settings: Settings
  readonly database: Database
  readonly vault: Vault
  /** Of the addresses of pages and links. */
  readonly addressKey: Buffer
  readonly operators: readonly Operator[]
  readonly webhooks: WebhookSender
  readonly web: WebClient
  readonly depots: Depots
  readonly mail: MailSender | undefined
  readonly say?: Say | undefined
  readonly files: FileStorage | undefined
  readonly clock: () => Instant
  /** Default: always. */
  readonly isTimeCertain?: () => boolean
  readonly log: Logger
  readonly meter: Meter
  readonly spans?: Spans | undefined
}): Promise<Context> => {
  const { settings, database, vault, addressKey, operators, webhooks, web, depots, mail, clock, log, meter } = options
  const { say, files, spans, isTimeCertain = () => true } = options
  const newId = createIds(clock)
  const catalog = openCatalog(database, clock)
  const changes = await openChanges(database, newId())
  return {
    settings,
    engine: database.engine,
    isWritable: () => database.isWritable(),
    outage: () => database.outage(),
    query: (query, parameters) => database.query(query, parameters),
    clock,
    isTimeCertain,
    ticks: () => performance.now(),
    newId,
    vault,
    checkoutTokens: createCheckoutTokens(addressKey),
    linkTokens: createLinkTokens(addressKey),
    catalog,
    changes,
    webhooks,
    web,
    depots,
    mail,
    say,
    files,
    log,
    meter,
    spans,
    operators,
    transaction: async (work) => {
      let callbacks: (() => void)[] = []
      const result = await database.transaction(async (open) => {
        callbacks = []
        const tx: Omit<Tx, 'beforeCommit'> = {
          query: (query, parameters) => open.query(query, parameters),
          now: clock(),
          newId,
          vault,
          catalog,
          changes,
          afterCommit: (callback) => callbacks.push(callback),
        }
        return workToEnd(tx, work)
      })
      for (const callback of callbacks) callback()
      return result
    },
  }
}

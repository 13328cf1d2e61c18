import { asConflict, sqlState } from './database-error.ts'
import type { Lender } from './lend-connections.ts'
import { type Part, PartFailed, type Rows, runTogether } from './pipeline.ts'
import type { Query } from './query.ts'

type Waiting = Part & {
  /** Runs it as a separate transaction, on a connection of its schema. */
  readonly runAlone: () => void
  readonly answer: (rows: Rows) => void
  readonly reject: (error: unknown) => void
}

/** A larger query costs so much that sharing a commit saves little, and others would wait for it. */
const maxCharacters = 64 * 1024
/** Per transaction, so that it takes milliseconds. */
const maxCharactersTogether = 512 * 1024
/**
 * Queries per transaction: each locks up to 25 tables and indexes, and PostgreSQL has room for 7,000 locks altogether
 * by default.
 */
const maxTogether = 32
/** Longest that the queries of all schemas wait for a lock in one of them. */
const lockWaitMs = 100
/** A schema whose query has failed runs alone for this long. */
const apartMs = 10_000
/** Most schemas whose queries the connection keeps. */
const maxSchemas = 250
/** PostgreSQL's code for a lock time-out. */
const lockNotAvailable = '55P03'

const sizeOf = ({ values }: Part): number => values.reduce((sum, value) => sum + (value?.length ?? 0), 0)

const bySchema = (a: Part, b: Part): number => (a.schema < b.schema ? -1 : Number(a.schema > b.schema))

/**
 * Runs the small queries of many schemas together: while one transaction is under way, queries collect; when it
 * returns, the next one takes them all, in one message and with one commit. If a query fails, the transaction is rolled
 * back; the others then run alone, and those of its schema for a while. Schemas are in name order, so that two
 * processes cannot deadlock.
 */
export class JointQueries {
  readonly #lender: Lender
  /** Schemas that run alone. */
  readonly #apart = new Set<string>()
  readonly #numbers = new Map<string, number>()
  #waiting: Waiting[] = []
  #isRunning = false
  #isPossible = true

  constructor(lender: Lender) {
    this.#lender = lender
  }

  /** Runs a query that is safe to repeat, together with others if possible, else by `alone`. */
  run<P, R>(schema: string, query: Query<P, R>, parameters: P, alone: () => Promise<R[]>): Promise<R[]> {
    const number = this.#numberOf(schema)
    if (!this.#isPossible || number === undefined || this.#apart.has(schema)) return alone()
    const { name, text } = query
    const part: Part = { schema, name: `joint_${number}_${name}`, text, values: query.encode(parameters) }
    if (sizeOf(part) > maxCharacters) return alone()
    return new Promise<R[]>((resolve, reject) => {
      this.#waiting.push({
        ...part,
        reject: (error) => reject(asConflict(error, query.races)),
        runAlone: () => resolve(alone()),
        answer: (rows) => resolve(rows.map((row) => query.decode(row))),
      })
      if (!this.#isRunning) void this.#drain()
    })
  }

  #numberOf(schema: string): number | undefined {
    const known = this.#numbers.get(schema)
    if (known !== undefined || this.#numbers.size === maxSchemas) return known
    this.#numbers.set(schema, this.#numbers.size + 1)
    return this.#numbers.size
  }

  #setApart(schema: string): void {
    this.#apart.add(schema)
    setTimeout(() => this.#apart.delete(schema), apartMs).unref()
  }

  async #drain(): Promise<void> {
    this.#isRunning = true
    // Queries of one event-loop turn run together.
    await new Promise<void>((done) => setImmediate(done))
    while (this.#waiting.length > 0) await this.#send(this.#takeWaiting())
    this.#isRunning = false
  }

  #takeWaiting(): Waiting[] {
    let size = 0
    const beyond = this.#waiting.findIndex((part) => (size += sizeOf(part)) > maxCharactersTogether)
    return this.#waiting.splice(0, beyond === -1 ? maxTogether : Math.min(beyond, maxTogether)).toSorted(bySchema)
  }

  async #send(parts: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.#lender.lendJoint(async ({ client, session }) =>
        session.canJoin ? runTogether(client, parts, lockWaitMs) : undefined,
      )
      if (rows) return parts.forEach((part, index) => part.answer(rows[index] ?? []))
      this.#isPossible = false
      for (const part of parts) part.runAlone()
    } catch (error) {
      this.#fail(parts, error)
    }
  }

  #fail(parts: readonly Waiting[], error: unknown): void {
    if (!(error instanceof PartFailed)) return parts.forEach((part) => part.reject(error))
    const failed = parts[error.index]
    if (failed) this.#setApart(failed.schema)
    for (const part of parts) {
      // A lock time-out does not count: only joint queries have so short a limit.
      if (part === failed && sqlState(error.cause) !== lockNotAvailable) part.reject(error.cause)
      else part.runAlone()
    }
  }
}

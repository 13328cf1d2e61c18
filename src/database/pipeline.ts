import type pg from 'pg'

/** A query as it is sent, and the schema that it works in. */
export type Part = {
  readonly schema: string
  /** The name under which the connection keeps it; different for each schema. */
  readonly name: string
  readonly text: string
  readonly values: readonly (string | null)[]
}

/** Rows as text, with columns by position. */
export type Rows = (string | null)[][]

/** What the driver's connection can send; its types lack some of it. */
type Wire = {
  readonly stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string; types: [] }): void
  bind(message: { statement: string; values: readonly (string | null)[] }): void
  execute(message: object): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}

// PostgreSQL replans a kept query whenever it runs on another search path. Both settings end with the transaction.
const enter = {
  name: 'payin_enter',
  text: `select set_config('search_path', $1, true), set_config('lock_timeout', $2, true)`,
}

/** Names that each connection has kept. */
const kept = new WeakMap<pg.ClientBase, Set<string>>()

/**
 * Queries that go to the server in one message and return as one transaction, in the driver's interface for custom
 * queries: everything executed before a Sync is committed together.
 */
class Pipeline implements pg.Submittable {
  readonly #parts: readonly Part[]
  readonly #lockWaitMs: number
  readonly #kept: Set<string>
  readonly #fresh: string[] = []
  readonly #rows: Rows[]
  /** How many commands have been executed; each part has two. */
  #executed = 0
  /** The driver calls it once, and wraps it with its time limit. */
  callback: (error: Error | null) => void

  constructor(
    parts: readonly Part[],
    options: { lockWaitMs: number; kept: Set<string> },
    callback: Pipeline['callback'],
  ) {
    this.#parts = parts
    this.#lockWaitMs = options.lockWaitMs
    this.#kept = options.kept
    this.#rows = parts.map(() => [])
    this.callback = callback
  }

  rows(): readonly Rows[] {
    return this.#rows
  }

  /** The part being executed. */
  current(): number {
    return Math.floor(this.#executed / 2)
  }

  #execute(wire: Wire, { name, text }: { name: string; text: string }, values: readonly (string | null)[]): void {
    if (!this.#kept.has(name)) {
      // A prepared query of this name may be left from a pipeline in which an earlier part failed.
      wire.close({ type: 'S', name })
      wire.parse({ name, text, types: [] })
      this.#kept.add(name)
      this.#fresh.push(name)
    }
    wire.bind({ statement: name, values })
    wire.execute({})
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire
    wire.stream.cork()
    for (const part of this.#parts) {
      this.#execute(wire, enter, [part.schema, String(this.#lockWaitMs)])
      this.#execute(wire, part, part.values)
    }
    wire.sync()
    wire.stream.uncork()
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    if (this.#executed % 2 === 1) this.#rows[this.current()]?.push(fields)
  }

  handleCommandComplete(): void {
    this.#executed++
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleError(error: Error): void {
    // The server has skipped everything after the failed part.
    for (const name of this.#fresh) this.#kept.delete(name)
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(null)
  }
}

/** One of several queries has failed; none took effect, and the connection still works. */
export class PartFailed extends Error {
  /** The index of the failed part, from 0. */
  readonly index: number

  constructor(index: number, cause: Error) {
    super('one of several queries has failed', { cause })
    this.index = index
  }
}

/**
 * Runs queries in one transaction and one round trip; each waits for a lock at most `lockWaitMs`. Throws `PartFailed`
 * if PostgreSQL refuses one of them.
 */
export const runTogether = (
  client: pg.ClientBase,
  parts: readonly Part[],
  lockWaitMs: number,
): Promise<readonly Rows[]> =>
  new Promise((resolve, reject) => {
    const names = kept.get(client) ?? new Set<string>()
    kept.set(client, names)
    const pipeline = new Pipeline(parts, { lockWaitMs, kept: names }, (error) => {
      if (!error) return resolve(pipeline.rows())
      const isRefused = (error as { severity?: string }).severity === 'ERROR'
      reject(isRefused ? new PartFailed(pipeline.current(), error) : error)
    })
    client.query(pipeline)
  })

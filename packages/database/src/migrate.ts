import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Session } from './database.ts'
import { requireSameDatabase } from './require-same.ts'
import { sqlState } from './database-error.ts'
import { type Blocker, describeBlockers, watchBlockers, takeMigrationLock } from './migration-lock.ts'
import { programName } from './program-name.ts'
import { indexBuiltBy, type Migration, readMigrations } from './read-migrations.ts'
import { boolean, query, text } from './query.ts'

/** How migrations are applied. */
export type MigrateOptions = {
  /** Whether pending migrations may be applied (default); otherwise an Error names them. */
  readonly mayApply?: boolean
  /** The version of Payin, stored with each migration that it applies. */
  readonly version?: string
  /** How long a command waits for a lock, and so delays everyone else who wants the table. */
  readonly lockTimeoutMs?: number
  /** How often a migration that does not get its locks is tried. */
  readonly attempts?: number
  readonly onLog?: (message: string) => void
  /** Called after each migration; `isNew`: the database had none before. Default: `onLog` reports it. */
  readonly onApplied?: (name: string, isNew: boolean) => void
}

/** Requests queue behind a lock that a migration waits for: at most this long. */
const defaultLockTimeoutMs = 2000
/** With pauses that double up to 30 s, about three minutes. */
const defaultAttempts = 10
const longestPauseMs = 30_000

/** The stored record of the migrations applied to a database. */
const listMigrations = query('list_migrations', {
  row: {
    name: text,
    checksum: text,
    /** The number of the migration that a version must know to run after this one; empty: any version may. */
    oldest: text,
    /** The version of Payin that applied it. */
    appliedBy: text,
  },
  text: `select name, checksum, oldest, applied_by from schema_migrations order by name`,
})

type AppliedMigration = ReturnType<typeof listMigrations.decode>

const insertMigration = query('insert_migration', {
  parameters: { name: text, checksum: text, oldest: text, appliedBy: text },
  text: `insert into schema_migrations (name, checksum, oldest, applied_by, applied_at)
    values (:name, :checksum, :oldest, :appliedBy, now())`,
})

const findIndex = query('find_index', {
  parameters: { name: text },
  row: { isValid: boolean },
  text: `select indisvalid as is_valid from pg_index where indexrelid = to_regclass(:name)`,
})

const listVersions = query('list_versions', {
  parameters: { program: text },
  row: { number: text },
  text: `select distinct substr(application_name, length(:program) + 2, 4) as number from pg_stat_activity
    where datname = current_database() and application_name ~ ('^' || :program || ' [0-9]{4}')`,
})

// The lock comes first: another process that reads the columns of `schema_migrations` takes it immediately. From then on
// its row is only read here: `on conflict do nothing` would wait for the process that has it, and hold a snapshot, for
// which that process waits when it builds an index concurrently.
const bookkeeping = [
  `create table if not exists schema_lock (id integer primary key, taken bigint not null)`,
  `insert into schema_lock (id, taken) select 1, 0 where not exists (select from schema_lock where id = 1)`,
  `create table if not exists schema_migrations
    (name text primary key, checksum text not null, applied_at timestamptz not null, oldest text not null,
      applied_by text not null)`,
]

const findSchema = query('find_schema', {
  parameters: { schema: text },
  row: { name: text },
  text: `select nspname::text as name from pg_namespace where nspname = :schema`,
})

/**
 * Two processes may both find a table missing; the loser gets a duplicate key in PostgreSQL's catalog and tries again.
 */
const prepare = async (session: Session, schema: string | undefined): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      // Checks first: a role may have been given a schema, but not the right to create one.
      const isMissing = schema !== undefined && (await session.query(findSchema, { schema })).length === 0
      if (isMissing) await session.run(`create schema if not exists ${schema}`)
      for (const command of bookkeeping) await session.run(command)
      return
    } catch (error) {
      if (attempt === defaultAttempts) throw error
    }
  }
}

/** The applied migrations; `undefined` if their table does not exist yet. */
const readApplied = async (session: Session): Promise<AppliedMigration[] | undefined> => {
  try {
    return await session.query(listMigrations, {})
  } catch (error) {
    if (sqlState(error) === '42P01') return undefined
    throw error
  }
}

/** The oldest version that may run on the database, as the number of a migration that it must know. */
const oldestOf = (applied: readonly AppliedMigration[]): string =>
  applied.reduce((oldest, each) => (each.oldest > oldest ? each.oldest : oldest), '')

const namesOf = (migrations: readonly { readonly name: string }[]): string =>
  migrations.map((each) => each.name).join(', ')

/**
 * The migrations that a database still needs; none if a newer version has migrated it and lets this one run. Throws an
 * Error that says what to do if this version may not use the database.
 */
const pendingMigrations = (applied: readonly AppliedMigration[], known: readonly Migration[]): readonly Migration[] => {
  const byName = new Map(applied.map((each) => [each.name, each]))
  const unknown = applied.filter((each) => !known.some(({ name }) => name === each.name))
  const pending = known.filter(({ name }) => !byName.has(name))
  const last = known.at(-1)?.name ?? ''
  if (unknown.some(({ name }) => name < last) || (unknown.length > 0 && pending.length > 0)) {
    // Before the first release, the migrations were rewritten as one baseline.
    throw new Error(
      `The database was made by an unreleased version of Payin (${unknown.length} migrations that this one does not have, the first is ${unknown[0]?.name}), and cannot be upgraded. Start with an empty database, by another DATABASE_URL or PAYIN_DATA_DIR, or start the version that made it.`,
    )
  }
  const oldest = oldestOf(applied)
  if (oldest > last.slice(0, 4) && unknown.length > 0) {
    const by = unknown.at(-1)?.appliedBy
    throw new Error(
      `The database was migrated by a newer version of Payin (${namesOf(unknown)}), and only versions that have migration ${oldest} may run on it; this one has those up to ${last}. Start ${by ? `version ${by}` : 'that version'} or a later one, or restore a backup from before the upgrade.`,
    )
  }
  const changed = known.find(({ name, checksum }) => byName.has(name) && byName.get(name)?.checksum !== checksum)
  if (changed) {
    throw new Error(
      `Migration ${changed.name} was changed after it had been applied. Restore the file, and put the change into a new migration.`,
    )
  }
  return pending
}

/** Applies migrations one after the other over a separate session. */
class Migrator {
  readonly #database: Database
  readonly #session: Session
  readonly #version: string
  readonly #lockTimeoutMs: number
  readonly #attempts: number
  readonly #onLog: (message: string) => void

  constructor(database: Database, session: Session, options: MigrateOptions) {
    this.#database = database
    this.#session = session
    this.#version = options.version ?? ''
    this.#lockTimeoutMs = options.lockTimeoutMs ?? defaultLockTimeoutMs
    this.#attempts = options.attempts ?? defaultAttempts
    this.#onLog = options.onLog ?? (() => undefined)
  }

  async apply(migration: Migration): Promise<void> {
    if (migration.oldest !== undefined) await this.#refuseOlderProcesses(migration.name, migration.oldest)
    const { name, checksum, oldest = '' } = migration
    const note = () => this.#session.query(insertMigration, { name, checksum, oldest, appliedBy: this.#version })
    if (migration.withoutTransaction) {
      for (const command of migration.commands) await this.#applyPiece(name, command)
      await note()
    } else {
      // Citus takes one command at a time; the embedded engine is in another thread, and each message takes a while.
      const isEmbedded = this.#database.engine === 'embedded'
      const messages = isEmbedded ? [migration.commands.join(';')] : migration.commands
      await this.#inTransaction(name, async () => {
        for (const message of messages) await this.#session.run(message)
        await note()
      })
    }
  }

  /**
   * Runs `work` in a transaction that waits for locks no longer than the time-out; retries after a pause if necessary.
   */
  async #inTransaction<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#patiently(name, async () => {
      await this.#session.run('begin')
      try {
        await this.#session.run(`set local lock_timeout = ${this.#lockTimeoutMs}`)
        const result = await work()
        await this.#session.run('commit')
        return result
      } catch (error) {
        await this.#session.run('rollback').catch(() => undefined)
        throw error
      }
    })
  }

  async #patiently<T>(name: string, attempt: () => Promise<T>): Promise<T> {
    let blockers: readonly Blocker[] = []
    for (let count = 1; ; count++) {
      const stop = await this.#watch((found) => (blockers = found))
      try {
        return await attempt()
      } catch (error) {
        // Lock time-outs and deadlocks.
        if (!['55P03', '40P01'].includes(sqlState(error))) throw error
        const reason = describeBlockers(blockers)
        if (count === this.#attempts) {
          throw new Error(
            `Migration ${name} was given up after ${this.#attempts} attempts, because ${reason}. Nothing of it is applied; end that transaction and start again.`,
            { cause: error },
          )
        }
        const pauseMs = Math.min(this.#lockTimeoutMs * 2 ** (count - 1), longestPauseMs)
        this.#onLog(
          `migration ${name} makes way: ${reason}; attempt ${count + 1} of ${this.#attempts} in ${pauseMs} ms`,
        )
        await sleep(pauseMs)
      } finally {
        await stop()
      }
    }
  }

  #watch(onBlocked: (blockers: readonly Blocker[]) => void): Promise<() => Promise<void>> {
    return watchBlockers(this.#database, this.#session, this.#lockTimeoutMs / 4, onBlocked)
  }

  /** Applies a command that a crash may interrupt without harm: it is then applied again from the beginning. */
  async #applyPiece(name: string, command: string): Promise<void> {
    const index = indexBuiltBy(command)
    if (index !== undefined) return this.#patiently(name, () => this.#buildIndex(name, index, command))
    if (/^drop /i.test(command)) return this.#withoutHurry(name, command)
    // One batch at a time, so that no row is locked longer than a batch takes.
    while ((await this.#inTransaction(name, () => this.#session.run(command))) > 0) await sleep(0)
  }

  async #buildIndex(name: string, index: string, command: string): Promise<void> {
    const [found] = await this.#session.query(findIndex, { name: index })
    if (found?.isValid) return
    if (found) {
      this.#onLog(`migration ${name}: index ${index} was left unfinished and is built again`)
      await this.#withoutHurry(name, `drop index concurrently ${index}`)
    }
    await this.#withoutHurry(name, command)
  }

  /** Commands that block nobody may wait for every earlier transaction. */
  async #withoutHurry(name: string, command: string): Promise<void> {
    let reported = ''
    const stop = await this.#watch((blockers) => {
      const reason = describeBlockers(blockers)
      if (reason !== reported) this.#onLog(`migration ${name} waits and blocks nobody: ${reason}`)
      reported = reason
    })
    try {
      await this.#session.run(command)
    } finally {
      await stop()
    }
  }

  /** A running process read the marker when it started, and would continue to use what is removed. */
  async #refuseOlderProcesses(name: string, oldest: string): Promise<void> {
    if (this.#database.engine === 'embedded') return
    const running = await this.#database.query(listVersions, { program: programName(this.#database.schema) })
    const older = running.map(({ number }) => number).filter((number) => number < oldest)
    if (older.length === 0) return
    throw new Error(
      `Migration ${name} takes away what running processes of an older version use: they have migrations up to ${older.join(', ')} and would need ${oldest}. Replace them by a version that has ${oldest}, or stop them, and start again.`,
    )
  }
}

/** Applies each pending migration of `folder` once, and returns their names. */
export const migrate = async (
  database: Database,
  folder: string,
  options: MigrateOptions = {},
): Promise<readonly string[]> => {
  const { mayApply = true, onLog = () => undefined } = options
  const { onApplied = (name: string) => onLog(`migration ${name} is applied`) } = options
  const known = await readMigrations(folder)
  const session = await database.openSession()
  try {
    // The embedded engine has one session.
    if (database.engine === 'postgres') await requireSameDatabase(database, session)
    const before = await readApplied(session)
    const pending = pendingMigrations(before ?? [], known)
    if (before !== undefined && pending.length === 0) return []
    if (!mayApply) {
      throw new Error(
        `The database lacks migrations that this version needs (${pending.map(({ name }) => name).join(', ') || 'of its bookkeeping'}), and PAYIN_MIGRATE=off forbids applying them. Run "PAYIN_MIGRATE=only npm start" as a role that may change the schema, then start again.`,
      )
    }
    if (before === undefined) await prepare(session, database.schema)
    // The embedded engine belongs to one process, and has one session.
    const lock = database.engine === 'embedded' ? undefined : await takeMigrationLock(database, onLog)
    try {
      const migrator = new Migrator(database, session, options)
      const done: string[] = []
      // Read again under the lock: another process may have applied them meanwhile.
      const missing = pendingMigrations((await readApplied(session)) ?? [], known)
      for (const migration of missing) {
        lock?.assertHeld()
        await migrator.apply(migration)
        onApplied(migration.name, missing.length === known.length)
        done.push(migration.name)
      }
      return done
    } finally {
      await lock?.release()
    }
  } finally {
    await session.close()
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Session } from './database.ts'
import { integer, nullable, query, text } from './query.ts'

const lookEveryMs = 200
/** Reported immediately and then after this many checks, half a minute. */
const looksPerReport = 150
/** The server ends a transaction that is idle for 30 s, and so releases the lock of a machine that is gone. */
const signOfLifeEveryMs = 10_000

const isTaken = (error: unknown): boolean => (error as { code?: string }).code === '55P03'

/**
 * Takes the lock if it is free. It is a row, because session locks do not work through a pooler in transaction mode.
 */
const tryLock = async (session: Session): Promise<boolean> => {
  await session.run('begin')
  try {
    // Does not wait in the database: an index build by the holder would wait for the snapshot of the waiting session.
    await session.run('select from schema_lock where id = 1 for update nowait')
    // Citus keeps the snapshot of that query until the next one, and a concurrent index build would wait for it.
    await session.run('update schema_lock set taken = taken + 1 where id = 1')
    return true
  } catch (error) {
    await session.run('rollback')
    if (isTaken(error)) return false
    throw error
  }
}

/** Waits until no other process migrates; a process that ends for any reason releases the lock. */
export const takeMigrationLock = async (database: Database, onLog: (message: string) => void) => {
  const session = await database.openSession()
  try {
    for (let look = 0; !(await tryLock(session)); look++) {
      if (look % looksPerReport === 0) onLog('another process is migrating the database; waiting for it')
      await sleep(lookEveryMs)
    }
  } catch (error) {
    await session.close()
    throw error
  }
  let lost: unknown
  const timer = setInterval(() => {
    session.run('select 1').catch((error: unknown) => (lost ??= error))
  }, signOfLifeEveryMs)
  timer.unref()
  return {
    /** Throws if the lock was lost with its connection, so that another process may have it. */
    assertHeld: (): void => {
      if (lost !== undefined) throw new Error('The lock for migrations was lost. Start again.', { cause: lost })
    },
    release: async (): Promise<void> => {
      clearInterval(timer)
      await session.run('rollback').catch(() => undefined)
      await session.close()
    },
  }
}

const readProcessId = query('read_process_id', {
  row: { pid: integer },
  text: `select pg_backend_pid() as pid`,
})

const listBlockers = query('list_blockers', {
  parameters: { pid: integer },
  // Not its query, which may quote data of payers. For other roles' sessions little more than the id is visible.
  row: {
    pid: integer,
    userName: nullable(text),
    applicationName: nullable(text),
    state: nullable(text),
    seconds: nullable(integer),
  },
  text: `select coalesce(pid, 0) as pid, usename::text as user_name, application_name, state,
      extract(epoch from clock_timestamp() - xact_start)::integer as seconds
    from pg_stat_activity where pid = any (pg_blocking_pids(:pid)) order by xact_start`,
})

/** A session that holds what another one waits for. */
export type Blocker = ReturnType<typeof listBlockers.decode>

/** Describes the sessions that hold a lock, for people. */
export const describeBlockers = (blockers: readonly Blocker[]): string => {
  if (blockers.length === 0) return 'a lock was not given in time'
  const each = blockers.map(({ pid, userName, applicationName, state, seconds }) => {
    const who = [applicationName, userName && `user ${userName}`, state, seconds !== null && `for ${seconds} s`]
    return `process ${pid} (${who.filter(Boolean).join(', ') || 'of another role'})`
  })
  return `a lock is held by ${each.join(' and ')}`
}

/**
 * Reports from time to time what a session waits for, until the returned function is called. The embedded engine has
 * one session, which waits for nobody.
 */
export const watchBlockers = async (
  database: Database,
  session: Session,
  everyMs: number,
  onBlocked: (blockers: readonly Blocker[]) => void,
): Promise<() => Promise<void>> => {
  if (database.engine === 'embedded') return async () => undefined
  const [own] = await session.query(readProcessId, {})
  let looking: Promise<void> | undefined
  const look = async (): Promise<void> => {
    // Uses another session and a separate transaction: an open transaction sees a fixed picture of the activity.
    const blockers = await database.query(listBlockers, { pid: own?.pid ?? 0 })
    if (blockers.length > 0) onBlocked(blockers)
  }
  const timer = setInterval(() => {
    looking ??= look()
      .catch(() => undefined)
      .finally(() => (looking = undefined))
  }, everyMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await looking
  }
}

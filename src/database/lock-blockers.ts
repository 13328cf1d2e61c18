import type { Database, Session } from './database.ts'
import { integer, nullable, query, text } from './query.ts'

const readProcessId = query('read_process_id', {
  row: { pid: integer },
  text: `select pg_backend_pid() as pid`,
})

const listBlockers = query('list_blockers', {
  parameters: { pid: integer },
  // Not its query, which may quote data of payers. Rows of other roles' sessions have little more than the id.
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

/** Names the sessions that hold a lock, for people. */
export const describeBlockers = (blockers: readonly Blocker[]): string => {
  if (blockers.length === 0) return 'a lock was not given in time'
  const each = blockers.map(({ pid, userName, applicationName, state, seconds }) => {
    const who = [applicationName, userName && `user ${userName}`, state, seconds !== null && `for ${seconds} s`]
    return `process ${pid} (${who.filter(Boolean).join(', ') || 'of another role'})`
  })
  return `a lock is held by ${each.join(' and ')}`
}

/**
 * Looks from time to time, until the returned function is called, for what a session waits for. The embedded engine has one
 * session, which waits for nobody.
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
    // A look from another session, in a transaction of its own: one that is open sees a fixed picture of the activity.
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

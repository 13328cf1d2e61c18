import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Session } from './database.ts'

const lookEveryMs = 200
/** Reported at once and then after this many looks, half a minute. */
const looksPerReport = 150
/** The server ends a transaction that is idle for 30 s, and with it the lock of a machine that is gone. */
const signOfLifeEveryMs = 10_000

const isTaken = (error: unknown): boolean => (error as { code?: string }).code === '55P03'

/** Whether the lock was free: it is a row, because session locks do not pass a pooler in transaction mode. */
const tryLock = async (session: Session): Promise<boolean> => {
  await session.run('begin')
  try {
    // Not waited for in the database: an index that the holder builds would wait for the snapshot of who waits.
    await session.run('select from schema_lock where id = 1 for update nowait')
    // A Citus keeps the snapshot of that query until the next one, and an index that is built concurrently would wait for it.
    await session.run('update schema_lock set taken = taken + 1 where id = 1')
    return true
  } catch (error) {
    await session.run('rollback')
    if (isTaken(error)) return false
    throw error
  }
}

/** Waits until no other process migrates; a process that ends, however it ends, gives the lock back. */
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
    /** Throws when the lock was lost with its connection, so that another process may have it. */
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

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

// Two processes on one embedded database destroy it silently, so the lock must be exact. An empty SQLite file is opened
// only for its lock: the kernel grants it to one process, drops it at kill -9, and enforces it across containers and on
// macOS. A unix socket needs "refused → unlink → bind", where two starters can both win, and has a path limit of 107.
const heldLocks = new Set<DatabaseSync>() // referenced here, or garbage collection would close and release a lock

const SQLITE_BUSY = 5

const readHolder = (pidFile: string): string => {
  try {
    return `process id ${readFileSync(pidFile, 'utf8').trim()}`
  } catch {
    return 'process id unknown'
  }
}

/**
 * Locks the directory for this process until the returned function is called or the process dies; if another process
 * has it, throws an Error that names the directory and its holder.
 */
export const lockDirectory = (directory: string): (() => void) => {
  const pidFile = join(directory, 'payin.pid')
  const lock = new DatabaseSync(join(directory, 'payin.lock'), { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    lock.close()
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) {
      throw new Error(`The database directory ${directory} cannot be locked.`, { cause: error })
    }
    throw new Error(
      `The database directory ${directory} is in use by another process (${readHolder(pidFile)}). ` +
        'Stop that process first, or give this one its own directory, ' +
        'or set DATABASE_URL to a PostgreSQL server that both may use.',
      { cause: error },
    )
  }
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  heldLocks.add(lock)
  return () => {
    if (heldLocks.delete(lock)) lock.close()
  }
}

import { isDiskFull, sqlState } from './database-error.ts'

/** How often it is tried whether the disk has room again. */
const tryEveryMs = 1000

/**
 * Needs half a megabyte of the tables' disk and some of the log's. Nothing of it stays: reads pass, and writes that find
 * room in pages that exist, when nothing else can be written.
 */
export const diskTrial = `create temporary table payin_disk_trial on commit drop as
    select n, repeat('x', 1900) as filler from generate_series(1, 300) as n;
  select pg_logical_emit_message(true, 'payin', repeat('x', 65536))`

/**
 * Watches for a full disk by the errors of queries that are noted: it counts as full from the first one that says so until a
 * trial, of which there is one from time to time, succeeds.
 */
export const watchDisk = (trial: () => Promise<unknown>, onLog: (message: string) => void) => {
  let isFull = false
  let timer: NodeJS.Timeout | undefined
  const tryAgain = async (): Promise<void> => {
    try {
      await trial()
    } catch (error) {
      // A role that may not make temporary tables cannot try; then writing itself shows it.
      if (sqlState(error) !== '42501') return void (timer = setTimeout(() => void tryAgain(), tryEveryMs).unref())
    }
    isFull = false
    onLog('The disk of the database has room again.')
  }
  return {
    note: (error: unknown): void => {
      if (isFull || !isDiskFull(error)) return
      isFull = true
      onLog(`The database cannot write (${sqlState(error)}): ${(error as Error).message}. Its disk is full or fails.`)
      timer = setTimeout(() => void tryAgain(), tryEveryMs).unref()
    },
    isFull: (): boolean => isFull,
    stop: (): void => clearTimeout(timer),
  }
}

import { CommitUnknown, isConnectionLost, isDiskFull, sqlState } from './database-error.ts'

/**
 * Tracks whether the database is reachable, judging by the work on it, which is numbered in the order in which it
 * began. Reports the beginning and the end of each outage once.
 */
export const watchOutage = (onLog: (message: string) => void) => {
  let begun = 0
  let lastGood = 0
  let outages = 0
  /** The number of the last work that began before the outage; its success proves nothing. */
  let outSince: number | undefined
  let failures = 0
  return {
    /** Gives new work its number. */
    begin: (): number => ++begun,
    failed: (work: number, error: unknown): void => {
      const reason = error instanceof CommitUnknown ? error.cause : error
      if (!isConnectionLost(reason) || isDiskFull(reason)) return
      failures++
      // Others have reached it meanwhile.
      if (outSince !== undefined || lastGood > work) return
      outSince = begun
      outages++
      failures = 1
      onLog(`The database is out of reach: ${(reason as Error).message}.`)
    },
    succeeded: (work: number): void => {
      lastGood = Math.max(lastGood, work)
      if (outSince === undefined || work <= outSince) return
      outSince = undefined
      onLog(`The database is back; ${failures} attempts had failed.`)
    },
    /** The number of the outage, from 1 on; 0 while the database can be reached. */
    current: (): number => (outSince === undefined ? 0 : outages),
  }
}

/** How often to test whether the disk has room again. */
const tryEveryMs = 1000

/**
 * Needs half a megabyte of the tables' disk and some of the log's. Nothing of it stays. Reads, and writes that fit into
 * existing pages, would succeed even when nothing else can be written.
 */
export const diskTrial = `create temporary table payin_disk_trial on commit drop as
    select n, repeat('x', 1900) as filler from generate_series(1, 300) as n;
  select pg_logical_emit_message(true, 'payin', repeat('x', 65536))`

/**
 * Watches for a full disk by the errors of queries: it counts as full from the first such error until a trial, which
 * runs from time to time, succeeds.
 */
export const watchDisk = (trial: () => Promise<unknown>, onLog: (message: string) => void) => {
  let isFull = false
  let timer: NodeJS.Timeout | undefined
  const tryAgain = async (): Promise<void> => {
    try {
      await trial()
    } catch (error) {
      // A role that may not create temporary tables cannot test; then real writes show it.
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

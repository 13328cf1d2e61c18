import { CommitUnknown, isConnectionLost, isDiskFull } from './database-error.ts'

/** Whether the database can be reached, as far as the work on it shows. Work has a number, by the order in which it began. */
export type OutageWatch = {
  /** Gives new work its number. */
  begin(): number
  failed(work: number, error: unknown): void
  succeeded(work: number): void
  /** The number of the outage, from 1 on; 0 while the database can be reached. */
  current(): number
}

/** Reports the beginning and the end of an outage, once each. */
export const watchOutage = (onLog: (message: string) => void): OutageWatch => {
  let begun = 0
  let lastGood = 0
  let outages = 0
  /** The last work that had begun when the outage did; what succeeds of it shows nothing. */
  let outSince: number | undefined
  let failures = 0
  return {
    begin: () => ++begun,
    failed: (work, error) => {
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
    succeeded: (work) => {
      lastGood = Math.max(lastGood, work)
      if (outSince === undefined || work <= outSince) return
      outSince = undefined
      onLog(`The database is back; ${failures} attempts had failed.`)
    },
    current: () => (outSince === undefined ? 0 : outages),
  }
}

import type { Context } from '../context.ts'
import { minute } from '../domain/time.ts'
import { expirePayments } from '../payments/expire-payments.ts'
import { pauseFailingRequisites } from '../requisite-health/pause-failing-requisites.ts'
import { archiveSlots } from '../requisites/archive-slots.ts'
import { forgetUses } from '../risk/forget-uses.ts'
import { playSimulatedBank } from './play-simulated-bank.ts'

/** A job: one round over what is due, returning how much it did; safe on any number of processes. */
export type Job = {
  readonly name: string
  /** Pause after a round that found nothing. */
  readonly everyMs: number
  /** Key of the bus of changes that wakes the job early. */
  readonly wakeKey?: string
  run(context: Context): Promise<number>
}

/** All jobs of the worker role. */
export const jobs: readonly Job[] = [
  { name: 'expire-payments', everyMs: 500, run: expirePayments },
  { name: 'archive-slots', everyMs: 10 * minute, run: archiveSlots },
  { name: 'pause-failing-requisites', everyMs: 5 * minute, run: pauseFailingRequisites },
  { name: 'forget-payer-uses', everyMs: 10 * minute, run: forgetUses },
  { name: 'play-simulated-bank', everyMs: 250, wakeKey: 'sandbox', run: playSimulatedBank },
]

/** Longest pause of a job that keeps failing. */
const maxPauseMs = 30_000

const pause = (context: Context, job: Job, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      unsubscribe()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    const unsubscribe = job.wakeKey === undefined ? () => undefined : context.changes.subscribe(job.wakeKey, done)
    signal.addEventListener('abort', done)
  })

const loop = async (context: Context, job: Job, signal: AbortSignal): Promise<void> => {
  let failures = 0
  while (!signal.aborted) {
    let done = 0
    try {
      done = await job.run(context)
      failures = 0
    } catch (error) {
      failures++
      context.log.warn({ err: error, job: job.name, failures }, 'job failed, will try again')
    }
    // A signal that is there already would wake no pause.
    if (done > 0 || signal.aborted) continue
    const again = Math.min(job.everyMs * 2 ** Math.min(failures, 10), maxPauseMs)
    await pause(context, job, Math.max(job.everyMs, again), signal)
  }
}

/** Starts all jobs; the returned function stops them and resolves when the rounds under way have ended. */
export const startJobs = (context: Context): (() => Promise<void>) => {
  const stop = new AbortController()
  const running = jobs.map((job) => loop(context, job, stop.signal))
  return async () => {
    stop.abort()
    await Promise.all(running)
  }
}

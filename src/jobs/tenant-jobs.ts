import type { Context } from '../context.ts'
import { minute, second } from '../domain/time.ts'
import type { Tenants } from '../tenants/tenants.ts'
import { type Job, type Pace, startJobs } from './jobs.ts'

/**
 * How many tenants may run a round of the same job concurrently, so that imports of some do not hold up those of
 * others.
 */
const mostOfJob = 4
/** How many rounds of all jobs may run concurrently: requests need connections, too. */
const mostAtOnce = 8
/** A tenant without changes for this long is idle. */
const idleAfterMs = 60 * second
/** Jobs of an idle tenant pause this many times longer, but not longer than `longestPauseMs`. */
const idleFactor = 20
const longestPauseMs = 15 * second
/**
 * Up to this many busy tenants have the same pauses as `main`; with more, pauses grow, so that the total cost of
 * checking stays the same.
 */
const busyAtFullPace = 8
const lookEveryMs = second

type Waiter = { readonly job: string; readonly begin: () => void }

/** Lets a few rounds of each job, and of all jobs, run concurrently; the others wait in order of arrival. */
export class Turns {
  readonly #running = new Map<string, number>()
  readonly #paces = new Set<TenantPace>()
  #waiting: Waiter[] = []
  #runningInAll = 0

  async take<T>(job: string, work: () => Promise<T>): Promise<T> {
    if (this.#mayRun(job)) this.#note(job, 1)
    else await new Promise<void>((begin) => void this.#waiting.push({ job, begin }))
    try {
      return await work()
    } finally {
      this.#note(job, -1)
      this.#serve()
    }
  }

  add(pace: TenantPace): void {
    this.#paces.add(pace)
  }

  remove(pace: TenantPace): void {
    this.#paces.delete(pace)
  }

  /** The factor by which many busy tenants lengthen the pauses. */
  slowness(): number {
    const busy = [...this.#paces].filter((pace) => !pace.isIdle()).length
    return Math.max(1, busy / busyAtFullPace)
  }

  #mayRun(job: string): boolean {
    return this.#runningInAll < mostAtOnce && (this.#running.get(job) ?? 0) < mostOfJob
  }

  #note(job: string, change: 1 | -1): void {
    this.#runningInAll += change
    this.#running.set(job, (this.#running.get(job) ?? 0) + change)
  }

  #serve(): void {
    const left: Waiter[] = []
    for (const waiter of this.#waiting) {
      if (this.#mayRun(waiter.job)) {
        this.#note(waiter.job, 1)
        waiter.begin()
      } else left.push(waiter)
    }
    this.#waiting = left
  }
}

/** Fast while something changes in a tenant, here or in another process, and slow otherwise. */
export class TenantPace implements Pace {
  readonly #turns: Turns
  readonly #context: Pick<Context, 'ticks' | 'changes'>
  readonly #listeners = new Set<() => void>()
  readonly #stopWatching: () => void
  #changedAt: number

  constructor(context: Pick<Context, 'ticks' | 'changes'>, turns: Turns) {
    this.#context = context
    this.#turns = turns
    this.#changedAt = context.ticks()
    turns.add(this)
    this.#stopWatching = context.changes.watch(() => this.#noteChange())
  }

  /** Its tenant no longer has jobs. */
  end(): void {
    this.#stopWatching()
    this.#turns.remove(this)
  }

  async run(job: Job, round: () => Promise<number>): Promise<number> {
    const done = await (job.isPatient ? round() : this.#turns.take(job.name, round))
    if (done > 0) this.#noteChange()
    return done
  }

  pauseOf(everyMs: number): number {
    const factor = this.isIdle() ? idleFactor : this.#turns.slowness()
    return Math.max(everyMs, Math.min(everyMs * factor, longestPauseMs))
  }

  onHurry(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  read<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.take('read metrics', work)
  }

  readEveryMs(): number {
    // Ages grow without changes; without changes, little else does.
    return this.isIdle() ? 10 * minute : 30 * second * this.#turns.slowness()
  }

  isIdle(): boolean {
    return this.#context.ticks() - this.#changedAt > idleAfterMs
  }

  #noteChange(): void {
    const wasIdle = this.isIdle()
    this.#changedAt = this.#context.ticks()
    if (wasIdle) for (const listener of [...this.#listeners]) listener()
  }
}

/**
 * Starts the jobs of `main`, and those of each other tenant once it exists; the returned function stops them and
 * resolves when the current rounds have ended.
 */
export const startTenantJobs = (tenants: Tenants): (() => Promise<void>) => {
  const turns = new Turns()
  const started = new Map<string, () => Promise<void>>([[tenants.main.tenant, startJobs(tenants.main, tenants.main)]])
  let looking: Promise<void> | undefined
  let isStopped = false
  const look = async (): Promise<void> => {
    const contexts = await tenants.list()
    for (const [tenant, stop] of started) {
      if (contexts.some((context) => context.tenant === tenant) || !tenants.isRetired(tenant)) continue
      started.delete(tenant)
      await stop()
    }
    for (const context of contexts) {
      if (isStopped || started.has(context.tenant)) continue
      const pace = new TenantPace(context, turns)
      const stopJobs = startJobs(context, tenants.main, pace)
      const stop = async (): Promise<void> => {
        await stopJobs()
        pace.end()
      }
      started.set(context.tenant, stop)
    }
  }
  const timer = setInterval(() => {
    if (tenants.isOne()) return
    looking ??= look()
      .catch((error: unknown) => tenants.main.log.warn({ err: error }, 'tenants could not be opened'))
      .finally(() => (looking = undefined))
  }, lookEveryMs).unref()
  return async () => {
    isStopped = true
    clearInterval(timer)
    await looking
    await Promise.all([...started.values()].map((stop) => stop()))
  }
}

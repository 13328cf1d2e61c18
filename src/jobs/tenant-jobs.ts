import type { Context } from '../context.ts'
import { second } from '../domain/time.ts'
import type { Tenants } from '../tenants/tenants.ts'
import { type Job, type Pace, startJobs } from './jobs.ts'

/** As many tenants may run a round of the same job at once, so that imports of some do not keep others from theirs. */
const mostAtOnce = 4
/** A tenant of which nothing has changed for this long is idle. */
const idleAfterMs = 60 * second
/** The jobs of an idle tenant pause this much longer, and no longer than `longestIdleMs`. */
const idleFactor = 20
const longestIdleMs = 15 * second
const lookEveryMs = second

/** Lets a few rounds of each job run at once; the others wait in the order in which they came. */
export class Turns {
  readonly #jobs = new Map<string, { running: number; readonly waiting: (() => void)[] }>()

  async take<T>(job: string, work: () => Promise<T>): Promise<T> {
    const turns = this.#jobs.get(job) ?? { running: 0, waiting: [] }
    this.#jobs.set(job, turns)
    if (turns.running >= mostAtOnce) await new Promise<void>((begin) => void turns.waiting.push(begin))
    else turns.running++
    try {
      return await work()
    } finally {
      const next = turns.waiting.shift()
      if (next) next()
      else turns.running--
    }
  }
}

/** Quick while something changes in a tenant, here or in another process, and slow while nothing does. */
export class TenantPace implements Pace {
  readonly #turns: Turns
  readonly #context: Pick<Context, 'ticks' | 'changes'>
  readonly #listeners = new Set<() => void>()
  #changedAt: number

  constructor(context: Pick<Context, 'ticks' | 'changes'>, turns: Turns) {
    this.#context = context
    this.#turns = turns
    this.#changedAt = context.ticks()
    context.changes.watch(() => this.#noteChange())
  }

  async run(job: Job, round: () => Promise<number>): Promise<number> {
    const done = await (job.isPatient ? round() : this.#turns.take(job.name, round))
    if (done > 0) this.#noteChange()
    return done
  }

  pauseOf(everyMs: number): number {
    if (!this.#isIdle()) return everyMs
    return Math.max(everyMs, Math.min(everyMs * idleFactor, longestIdleMs))
  }

  onHurry(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #isIdle(): boolean {
    return this.#context.ticks() - this.#changedAt > idleAfterMs
  }

  #noteChange(): void {
    const wasIdle = this.#isIdle()
    this.#changedAt = this.#context.ticks()
    if (wasIdle) for (const listener of [...this.#listeners]) listener()
  }
}

/**
 * Starts the jobs of `main`, and those of each other tenant once it is there; the returned function stops them and resolves
 * when the rounds under way have ended.
 */
export const startTenantJobs = (tenants: Tenants): (() => Promise<void>) => {
  const turns = new Turns()
  const started = new Map<string, () => Promise<void>>([[tenants.main.tenant, startJobs(tenants.main)]])
  let looking: Promise<void> | undefined
  let isStopped = false
  const look = async (): Promise<void> => {
    for (const context of await tenants.list()) {
      if (isStopped || started.has(context.tenant)) continue
      started.set(context.tenant, startJobs(context, new TenantPace(context, turns)))
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

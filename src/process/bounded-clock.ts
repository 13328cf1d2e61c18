import { uptime } from 'node:os'
import { describeSpan } from '../rules/notices/alert-message.ts'
import { clockFaultName } from '../rules/clock-fault.ts'
import { type Instant, minute, mostAheadMs, second } from '../rules/time.ts'
import type { Context } from '../engine/context.ts'
import { readTime } from 'payin-database'
import { deleteServiceState, setServiceState } from '../engine/service-state.ts'

/** How long the database's clock must keep the time that it jumped to before this is the time. */
const keptForMs = 5 * minute

/** What the clock is made of, in milliseconds. */
type Sources = {
  /** The machine's clock, which may jump. */
  readonly machine: () => Instant
  /** The monotonic clock of the process, which stops while the machine is suspended. */
  readonly ticks: () => number
  /** How long the machine has been up, also while it was suspended. */
  readonly uptime: () => number
}

const ownSources: Sources = {
  machine: () => Date.now(),
  ticks: () => performance.now(),
  uptime: () => uptime() * second,
}

/** A jump of the database's clock: where it leads to, in terms of `#base`, and since when. */
type Jump = { readonly base: number; readonly since: number }

/**
 * The machine's clock as long as it agrees with the database's, else the time of the database. Between comparisons the
 * monotonic clock tells both from a jump: a machine that jumps changes nothing, and a database that jumps changes the
 * time only after `keptForMs`.
 */
export class BoundedClock {
  readonly #sources: Sources
  /** The database's time when `ticks` was 0; undefined before the first comparison. */
  #base: number | undefined
  #comparedAt = { ticks: 0, uptime: 0 }
  #jump: Jump | undefined

  constructor(sources: Sources = ownSources) {
    this.#sources = sources
  }

  readonly now = (): Instant => {
    const machine = this.#sources.machine()
    if (this.#base === undefined) return machine
    const byDatabase = this.#base + this.#sources.ticks()
    return Math.abs(machine - byDatabase) <= mostAheadMs ? machine : Math.floor(byDatabase)
  }

  /** Compares it with what the database's clock shows. */
  async compare(askTime: () => Promise<Instant>): Promise<void> {
    const asked = this.#sources.ticks()
    const databaseTime = await askTime()
    const comparedAt = { ticks: this.#sources.ticks(), uptime: this.#sources.uptime() }
    const passed = (of: 'ticks' | 'uptime'): number => comparedAt[of] - this.#comparedAt[of]
    const suspended = Math.max(0, passed('uptime') - passed('ticks'))
    const base = databaseTime - (asked + comparedAt.ticks) / 2
    const expected = (this.#base ?? base) + (this.#base === undefined ? 0 : suspended)
    this.#comparedAt = comparedAt
    this.#base = expected
    if (Math.abs(base - expected) <= mostAheadMs) return this.#accept(base)
    if (!this.#jump || Math.abs(this.#jump.base - base) > mostAheadMs) this.#jump = { base, since: comparedAt.ticks }
    if (comparedAt.ticks - this.#jump.since >= keptForMs) this.#accept(base)
  }

  /** Goes on from the time before a jump that another process has seen at a time, as if this one had seen it then. */
  startBefore(seen: { readonly jumpMs: number; readonly since: Instant } | undefined): void {
    if (this.#base === undefined || seen === undefined) return
    const { ticks } = this.#sources
    const byDatabase = this.#base + ticks() - seen.jumpMs
    this.#jump = { base: this.#base, since: ticks() - Math.max(0, byDatabase - seen.since) }
    this.#base -= seen.jumpMs
  }

  /** How far the database's clock has jumped, while that is in doubt. */
  jumpMs(): number | undefined {
    return this.#base === undefined || this.#jump === undefined ? undefined : this.#jump.base - this.#base
  }

  /** What is wrong with the clocks, in words; undefined while they agree. */
  fault(): string | undefined {
    if (this.#base === undefined) return undefined
    const { machine, ticks } = this.#sources
    const jumpMs = this.jumpMs()
    if (jumpMs !== undefined)
      return `the database's clock has jumped by ${describeSpan(Math.abs(jumpMs))} ${jumpMs > 0 ? 'ahead' : 'back'}`
    const offMs = machine() - (this.#base + ticks())
    return Math.abs(offMs) <= mostAheadMs
      ? undefined
      : `its clock is ${describeSpan(Math.abs(offMs))} ${offMs > 0 ? 'ahead of' : 'behind'} the database's`
  }

  #accept(base: number): void {
    this.#base = base
    this.#jump = undefined
  }
}

/** How often the clock is compared with the database's. */
const compareEveryMs = 5 * second
/** How often a fault that lasts is reported again. */
const reportEveryMs = minute

/**
 * Compares the clock of the process with the database's from now on, and stores a fault where the rule `clock-differs`
 * finds it; the returned function ends this.
 */
export const watchClock = (clock: BoundedClock, context: Context, process: string): (() => void) => {
  const name = clockFaultName(process)
  let reported: { readonly since: number; at: number } | undefined
  const report = async (): Promise<void> => {
    await clock.compare(() => readTime(context))
    const [fault, now] = [clock.fault(), clock.now()]
    if (fault === undefined) {
      if (!reported) return
      reported = undefined
      context.log.info('the clocks agree again')
      return deleteServiceState(context, [name])
    }
    if (!reported) context.log.error({ fault }, 'the time is in doubt: what time brings about waits')
    if (reported && now - reported.at < reportEveryMs) return
    reported = { since: reported?.since ?? now, at: now }
    await setServiceState(context, name, JSON.stringify({ fault, jumpMs: clock.jumpMs(), ...reported }))
  }
  let reporting: Promise<void> | undefined
  const timer = setInterval(() => {
    // An outage of the database has its own line in the log.
    reporting ??= report()
      .catch(() => undefined)
      .finally(() => (reporting = undefined))
  }, compareEveryMs).unref()
  return () => clearInterval(timer)
}

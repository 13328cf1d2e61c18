import type { BoundedClock } from './bounded-clock.ts'
import type { Context } from '../engine/context.ts'
import { readTime } from 'payin-database'
import { deleteServiceState, setServiceState } from '../engine/service-state.ts'
import { clockFaultName } from '../rules/clock-fault.ts'
import { minute, second } from '../rules/time.ts'

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

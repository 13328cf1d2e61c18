// Workers that deliver while a test goes on.
import type { Settings } from '../../src/settings/config.ts'
import type { Context } from '../../src/engine/context.ts'
import { createWebhookSender } from '../../src/gateways/webhook-sender.ts'
import { startJobs } from '../../src/process/jobs/jobs.ts'
import type { TestService } from '../support/service.ts'

/** A process that delivers, as far as the database can tell. */
export type Worker = { readonly context: Context; stop(): Promise<void> }

/** Starts a worker on the database of a service, with a sender, settings and, where given, ticks of its own. */
export const startWorker = (
  { context: { ticks: usual, ...shared } }: Pick<TestService, 'context'>,
  changed: Partial<Settings> = {},
  ticks = usual,
): Worker => {
  const settings = { ...shared.settings, ...changed }
  const webhooks = createWebhookSender({ clock: shared.clock, timeoutMs: settings.notificationTimeoutMs })
  const context = { ...shared, ticks, settings, webhooks }
  const stopJobs = startJobs(context)
  return {
    context,
    stop: async () => {
      await stopJobs()
      await webhooks.close()
    },
  }
}

/** Lets the clock of a service go on, `speed` times as fast as the real one, until the returned function is called. */
export const runClock = ({ clock }: Pick<TestService, 'clock'>, speed = 1): (() => void) => {
  const [from, startedAt] = [Math.max(clock.now, Date.now()), performance.now()]
  const turn = (): void => void (clock.now = from + Math.floor((performance.now() - startedAt) * speed))
  const timer = setInterval(turn, 1).unref()
  return () => clearInterval(timer)
}

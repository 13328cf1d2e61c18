// The services that the tests of a file share, and virtual time that passes for their deliveries.
import { test } from 'node:test'
import type { Settings } from '../../src/config.ts'
import { instant, nullable, query } from '../../src/database/query.ts'
import { second } from '../../src/domain/time.ts'
import { playSimulatedBank } from '../../src/jobs/play-simulated-bank.ts'
import { deliverNotifications } from '../../src/notifications/deliveries/deliver-notifications.ts'
import { queueDeliveries } from '../../src/notifications/deliveries/queue-deliveries.ts'
import { remindOfAcks } from '../../src/notifications/remind-of-acks.ts'
import { notified } from '../support/notified.ts'
import { type Engine, engines, type TestService } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'

type DeclareTest = (title: string, run: (service: TestService) => Promise<void>) => void

const removeEndpoints = query({
  name: 'test_remove_endpoints',
  parameters: {},
  row: {},
  text: `update notification_endpoints set status = 'removed' where status = 'enabled'`,
})

/**
 * Opens a service per engine for all tests of a file, and declares tests on them. Each test opens shops of its own and
 * leaves nothing to deliver to the next one; see `shareService` for what holds at the end. Without a PostgreSQL its tests
 * are skipped loudly.
 */
export const shareNotified = (
  on: readonly Engine[] = engines,
  environment: Record<string, string> = notified,
): { readonly onEngines: DeclareTest; readonly onPostgres: DeclareTest } => {
  const shared = on.map((engine) => {
    const isMissing = engine === 'postgres' && !process.env['TEST_DATABASE_URL']
    const skip = isMissing ? 'no PostgreSQL on this machine' : false
    return { engine, skip, opened: skip ? undefined : shareService({ engine, environment }) }
  })
  const declare = (only: readonly Engine[], title: string, run: (service: TestService) => Promise<void>): void => {
    for (const { engine, skip, opened } of shared.filter((each) => only.includes(each.engine))) {
      test(`${title} [${engine}]`, { skip }, async () => {
        const service = opened?.()
        if (!service) throw new Error('the service is not open')
        try {
          await run(service)
          await service.runJobs()
        } finally {
          await service.context.query(removeEndpoints, {})
        }
      })
    }
  }
  return {
    onEngines: (title, run) => declare(engines, title, run),
    onPostgres: (title, run) => declare(['postgres'], title, run),
  }
}

/** The same service with other settings of its jobs, for `runDeliveries` and `passTime`. */
export const withSettings = (service: TestService, settings: Partial<Settings>): TestService => ({
  ...service,
  context: { ...service.context, settings: { ...service.context.settings, ...settings } },
})

/** Runs the jobs that make and deliver notifications until none finds anything to do. */
export const runDeliveries = async ({ context }: Pick<TestService, 'context'>): Promise<void> => {
  for (let done = 1; done > 0; ) {
    done = (await playSimulatedBank(context)) + (await remindOfAcks(context)) + (await queueDeliveries(context))
    while ((await deliverNotifications(context)) > 0) done++
  }
}

const nextDue = query({
  name: 'test_next_due',
  parameters: {},
  row: { at: nullable(instant) },
  text: `select min(at) as at from (
      select greatest(wake_at, paused_until) as at from delivery_lanes as lanes
      join notification_endpoints as endpoints on endpoints.merchant_id = lanes.merchant_id
        and endpoints.id = lanes.endpoint_id and endpoints.status = 'enabled'
      where leased_by is null and wake_at is not null
      union all select due_at from ack_reminders join notification_endpoints as endpoints using (merchant_id)
      where endpoints.status = 'enabled'
      union all select due_at from simulated_steps
    ) as due`,
})

/**
 * Lets virtual time pass: turns the clock to each moment at which a delivery or reminder is due, and delivers, until `ms`
 * are over or `isOver` says so.
 */
export const passTime = async (
  service: TestService,
  ms: number,
  isOver: () => boolean = () => false,
): Promise<void> => {
  const { clock, context } = service
  const end = clock.now + ms
  while (!isOver()) {
    const [row] = await context.query(nextDue, {})
    const at = row?.at ?? end
    if (at >= end) break
    // What is due already and was left is looked at again a second later.
    clock.now = at > clock.now ? at : clock.now + second
    await runDeliveries(service)
  }
  if (isOver()) return
  clock.now = Math.max(clock.now, end)
  await runDeliveries(service)
}

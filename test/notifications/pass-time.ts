// Virtual time that passes for the deliveries of a service.
import type { Settings } from '../../src/config.ts'
import { instant, nullable, query } from '../../src/database/query.ts'
import { second } from '../../src/domain/time.ts'
import { playSimulatedBank } from '../../src/jobs/play-simulated-bank.ts'
import { deliverNotifications } from '../../src/notifications/deliveries/deliver-notifications.ts'
import { queueDeliveries } from '../../src/notifications/deliveries/queue-deliveries.ts'
import { remindOfAcks } from '../../src/notifications/remind-of-acks.ts'
import type { TestService } from '../support/service.ts'

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
 * Lets virtual time pass: delivers what is due, turns the clock to the next moment at which something is, and so on until
 * `ms` are over or `isOver` says so.
 */
export const passTime = async (
  service: TestService,
  ms: number,
  isOver: () => boolean = () => false,
): Promise<void> => {
  const { clock, context } = service
  const end = clock.now + ms
  await runDeliveries(service)
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

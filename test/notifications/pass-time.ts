// Virtual time that passes for the deliveries of a service.
import type { Settings } from '../../src/settings/config.ts'
import type { Context } from '../../src/engine/context.ts'
import { instant, nullable, query } from 'payin-database'
import { second } from '../../src/rules/time.ts'
import { playSimulatedSteps } from '../../src/engine/simulation/play-simulated-steps.ts'
import { deliverNotifications } from '../../src/engine/notifications/deliveries/deliver-notifications.ts'
import { queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { remindOfAcks } from '../../src/engine/payments/reminders/remind-of-acks.ts'
import type { TestService } from '../support/service.ts'

/** The same service with other settings of its jobs, for `runDeliveries` and `passTime`. */
export const withSettings = (service: TestService, settings: Partial<Settings>): TestService => ({
  ...service,
  context: { ...service.context, settings: { ...service.context.settings, ...settings } },
})

const deliver = async (context: Context): Promise<number> => {
  let rounds = 0
  while ((await deliverNotifications(context)) > 0) rounds++
  return rounds
}

/** Runs the jobs that make and deliver notifications until none finds anything to do. */
export const runDeliveries = async ({ context }: Pick<TestService, 'context'>): Promise<void> => {
  while ((await playSimulatedSteps(context)) + (await remindOfAcks(context)) > 0);
  while ((await queueDeliveries(context)) + (await deliver(context)) > 0);
}

const nextDue = query('test_next_due', {
  row: { deliveryAt: nullable(instant), eventAt: nullable(instant) },
  text: `select (select min(greatest(wake_at, paused_until)) from delivery_lanes as lanes
      join notification_endpoints as endpoints on endpoints.merchant_id = lanes.merchant_id
        and endpoints.id = lanes.endpoint_id and endpoints.status = 'enabled'
      where leased_by is null and wake_at is not null) as delivery_at,
    least((select min(due_at) from simulated_steps), (
      select min(remind_at) from payments join notification_endpoints as endpoints using (merchant_id)
      where endpoints.status = 'enabled')) as event_at`,
})

/**
 * Lets virtual time pass: delivers what is due, turns the clock to the next moment at which a delivery or a new event is,
 * and so on until `ms` are over or `isOver` says so.
 */
export const passTime = async (
  service: TestService,
  ms: number,
  isOver: () => boolean = () => false,
): Promise<void> => {
  const { clock, context } = service
  const end = clock.now + ms
  await runDeliveries(service)
  while (clock.now < end && !isOver()) {
    const [row] = await context.query(nextDue, {})
    const [deliveryAt, eventAt] = [row?.deliveryAt ?? Infinity, row?.eventAt ?? Infinity]
    // What is due already and was left is looked at again a second later.
    clock.now = Math.min(Math.max(Math.min(deliveryAt, eventAt), clock.now + second), end)
    await (eventAt <= clock.now ? runDeliveries(service) : deliver(context))
  }
}

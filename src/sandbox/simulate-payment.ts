import type { Context } from '../context.ts'
import type { Payment } from '../domain/payment.ts'
import { type SimulatedEvent, simulateEvent } from '../domain/simulation.ts'
import { scheduleSteps } from './schedule-steps.ts'

/** Plans a simulated event for a sandbox payment; the simulated bank plays it after `delayMs`. */
export const simulatePayment = (
  context: Context,
  payment: Payment,
  wanted: { readonly event: SimulatedEvent; readonly amount: bigint | undefined; readonly delayMs: number },
): Promise<void> =>
  context.transaction((tx) => {
    const { merchantId, id: paymentId } = payment
    const steps = simulateEvent(wanted.event, payment.amount, wanted.amount, wanted.delayMs)
    return scheduleSteps(
      tx,
      steps.map((step) => ({ merchantId, paymentId, step })),
    )
  })

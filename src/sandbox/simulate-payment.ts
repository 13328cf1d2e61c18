import type { Context } from '../context.ts'
import { creditedStatuses, type Payment } from '../domain/payment.ts'
import { type SimulatedEvent, simulateEvent } from '../domain/simulation.ts'
import { scheduleSteps } from './schedule-steps.ts'

/** Plans a simulated event for a sandbox payment; it is played after `delayMs`. */
export const simulatePayment = (
  context: Context,
  payment: Payment,
  wanted: { readonly event: SimulatedEvent; readonly amount: bigint | undefined; readonly delayMs: number },
): Promise<void> =>
  context.transaction((tx) => {
    const { merchantId, id: paymentId, amount, status } = payment
    const known = { amount, isCredited: creditedStatuses.has(status) }
    const steps = simulateEvent(wanted.event, known, wanted.amount, wanted.delayMs)
    return scheduleSteps(
      tx,
      steps.map((step) => ({ merchantId, paymentId, step })),
    )
  })

import type { Tx } from '../context.ts'
import { creditedStatuses, type Payment } from '../domain/payment.ts'
import { type SimulatedEvent, simulateEvent, type SimulatedReporter } from '../domain/simulation.ts'
import { scheduleSteps } from './schedule-steps.ts'

/** What somebody wants to be simulated; an `amount` takes the place of what is usual for the event. */
export type Simulation = {
  readonly event: SimulatedEvent
  readonly amount: bigint | undefined
  readonly delayMs: number
  readonly reportedBy: SimulatedReporter
}

/** Plans a simulated event for a sandbox payment; it is played after its delay. */
export const simulatePayment = (tx: Tx, payment: Payment, wanted: Simulation): Promise<void> => {
  const { merchantId, id: paymentId, amount, status } = payment
  const known = { amount, isCredited: creditedStatuses.has(status) }
  const steps = simulateEvent(wanted.event, known, wanted.amount, wanted.delayMs)
  return scheduleSteps(
    tx,
    steps.map((step) => ({ merchantId, paymentId, step })),
    wanted.reportedBy,
  )
}

import { bringBack } from '../bring-back.ts'
import type { Context, Tx } from '../context.ts'
import type { ClockTurn } from '../../rules/sandbox/clock-turn.ts'
import { creditedStatuses, type Payment } from '../../rules/payments/payment.ts'
import {
  longestDelayMs,
  type SimulatedEvent,
  type SimulatedReporter,
  type SimulatedStep,
  simulateEvent,
} from '../../rules/sandbox/simulation.ts'
import { type Instant } from '../../rules/time.ts'
import { deleteStep, findNextStep, insertSteps, listDueSteps, markStepsTurned } from './store.ts'

/** Plans what the simulated bank and payer will do; `delayMs` counts from the transaction's time. */
export const scheduleSteps = async (
  tx: Tx,
  planned: readonly { readonly merchantId: string; readonly paymentId: string; readonly step: SimulatedStep }[],
  reportedBy: SimulatedReporter = 'feed',
): Promise<void> => {
  if (planned.length === 0) return
  await tx.query(insertSteps, {
    rows: planned.map(({ merchantId, paymentId, step }) => ({
      merchantId,
      paymentId,
      id: tx.newId(),
      action: step.action,
      amount: 'amount' in step ? step.amount : null,
      dueAt: tx.now + step.delayMs,
      reportedBy,
    })),
  })
  tx.afterCommit(() => tx.changes.publish(['sandbox']))
}

export type DueStep = ReturnType<typeof listDueSteps.decode>

/** The steps that are due, for a merchant or for all, in playing order. */
export const dueSteps = (context: Context, merchantId: string | null, limit: number): Promise<DueStep[]> =>
  context.query(listDueSteps, { merchantId, now: context.clock(), limit })

/** Lets steps come now that a clock that was ahead has planned; returns how many. */
export const bringStepsBack = bringBack('simulated_steps', 'due_at', longestDelayMs)

/** Removes a step from the plan; in the transaction that plays it, or after it. */
export const finishStep = (tx: Pick<Tx, 'query'>, step: DueStep): Promise<unknown> => tx.query(deleteStep, step)

/** What a caller wants to simulate; `amount` replaces the event's usual one. */
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

/** When the next simulated step of a merchant is due within a turn; `undefined` if none is. */
export const nextStepAt = async (
  context: Context,
  merchantId: string,
  { byMs, now }: ClockTurn,
): Promise<Instant | undefined> => {
  const [next] = await context.query(findNextStep, { merchantId, now, until: now + byMs })
  return next?.dueAt
}

/** Turns forward the planned simulation of a merchant. */
export const turnSteps = async (tx: Tx, merchantId: string, { byMs, now }: ClockTurn): Promise<void> => {
  await tx.query(markStepsTurned, { merchantId, now, byMs: BigInt(byMs) })
}

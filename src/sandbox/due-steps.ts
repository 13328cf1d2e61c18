import type { Context, Tx } from '../context.ts'
import type { SimulatedReporter, SimulatedStep } from '../domain/simulation.ts'
import { deleteStep, listDueSteps } from './store.ts'

/** A simulated step whose time has come. */
export type DueStep = {
  readonly merchantId: string
  readonly paymentId: string
  readonly id: string
  readonly action: SimulatedStep['action']
  readonly amount: bigint | null
  /** Who reports the money that it moves. */
  readonly reportedBy: SimulatedReporter
}

/** The steps that are due, of a merchant or of all, in the order in which they are to be played. */
export const dueSteps = (context: Context, merchantId: string | null, limit: number): Promise<DueStep[]> =>
  context.query(listDueSteps, { merchantId, now: context.clock(), limit })

/** Takes a step off the plan; in the transaction that plays it, or after it. */
export const finishStep = (tx: Pick<Tx, 'query'>, step: DueStep): Promise<unknown> => tx.query(deleteStep, step)

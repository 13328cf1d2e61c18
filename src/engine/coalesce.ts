import { coalesce as groupCommit, type CoalesceLimits, type NotDone } from 'payin-database'
import { Refusal } from '../rules/refusal.ts'

/** The refusal that a caller gets when the database did not do the work; nothing was changed. */
export const refuseNotDone = (fault: NotDone): Refusal =>
  Object.assign(
    new Refusal(fault.code, fault.message, { retryAfterSeconds: fault.code === 'overloaded' ? 1 : 2 }),
    fault.cause === undefined ? {} : { cause: fault.cause },
  )

const isRefusal = (error: unknown): boolean => error instanceof Refusal

/** Group commit whose callers get refusals: `overloaded`, or the refusal of the whole batch. */
export const coalesce = <C extends object, I, O>(
  work: (context: C, inputs: readonly I[]) => Promise<readonly O[]>,
  limits: CoalesceLimits,
): ((context: C, input: I) => Promise<O>) =>
  groupCommit(work, { ...limits, refuse: refuseNotDone, isAnswer: isRefusal })

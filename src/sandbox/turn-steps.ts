import type { Context, Tx } from '../context.ts'
import type { ClockTurn } from '../domain/clock-turn.ts'
import type { Instant } from '../domain/time.ts'
import { findNextStep, markStepsTurned } from './store.ts'

/** When the next simulated step of a merchant is due within a turn; `undefined` where none is. */
export const nextStepAt = async (
  context: Context,
  merchantId: string,
  { byMs, now }: ClockTurn,
): Promise<Instant | undefined> => {
  const [next] = await context.query(findNextStep, { merchantId, now, until: now + byMs })
  return next?.dueAt
}

/** Turns what is planned to be simulated for a merchant forward. */
export const turnSteps = async (tx: Tx, merchantId: string, { byMs, now }: ClockTurn): Promise<void> => {
  await tx.query(markStepsTurned, { merchantId, now, byMs: BigInt(byMs) })
}

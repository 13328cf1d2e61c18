import type { Tx } from '../context.ts'
import type { ClockTurn } from '../domain/clock-turn.ts'
import { markTurned } from './store.ts'

/** Turns the ends of the slots that a sandbox merchant's payments hold forward. */
export const turnSlots = async (tx: Tx, merchantId: string, { byMs, now }: ClockTurn): Promise<void> => {
  await tx.query(markTurned, { merchantId, now, byMs: BigInt(byMs) })
}

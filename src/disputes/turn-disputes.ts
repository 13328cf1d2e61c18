import type { Tx } from '../context.ts'
import type { ClockTurn } from '../domain/clock-turn.ts'
import { markClaimsTurned } from './claims/store.ts'
import { markDisputesTurned } from './store.ts'

/** Turns the deadlines and reminders of a sandbox merchant's disputes forward, and when its payers' claims are looked at. */
export const turnDisputes = async (tx: Tx, merchantId: string, { byMs, now }: ClockTurn): Promise<number> => {
  const turn = { merchantId, now, byMs: BigInt(byMs) }
  await tx.query(markClaimsTurned, turn)
  return (await tx.query(markDisputesTurned, turn)).length
}

import type { Tx } from '../context.ts'
import type { ClockTurn } from '../../rules/sandbox/clock-turn.ts'
import { deliveriesKey } from './deliveries/queueing/queue-deliveries.ts'
import { markDeliveriesTurned } from './deliveries/store.ts'

/**
 * Turns forward the planned tries of a sandbox merchant's notifications and the pauses of its endpoints. Returns how many
 * tries it moved.
 */
export const turnNotifications = async (tx: Tx, merchantId: string, { byMs, now }: ClockTurn): Promise<number> => {
  const [moved] = await tx.query(markDeliveriesTurned, { merchantId, now, byMs: BigInt(byMs) })
  tx.afterCommit(() => tx.changes.publish([deliveriesKey]))
  return moved?.deliveries ?? 0
}

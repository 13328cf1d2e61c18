import type { Tx } from '../context.ts'
import type { ClockTurn } from '../../rules/sandbox/clock-turn.ts'
import { deliveriesKey } from './deliveries/queueing/queue-deliveries.ts'
import { markDeliveriesTurned } from './deliveries/store.ts'
import { planEarly } from './reminders/remind-of-acks.ts'
import { markRemindersTurned } from './reminders/store.ts'

/**
 * Turns forward the planned tries of a sandbox merchant's notifications, the pauses of its endpoints, and the reminders
 * of its unacknowledged credits. Returns how many tries it moved.
 */
export const turnNotifications = async (tx: Tx, merchantId: string, { byMs, now }: ClockTurn): Promise<number> => {
  const turn = { merchantId, now, byMs: BigInt(byMs) }
  await planEarly(tx, merchantId)
  await tx.query(markRemindersTurned, turn)
  const [moved] = await tx.query(markDeliveriesTurned, turn)
  tx.afterCommit(() => tx.changes.publish([deliveriesKey]))
  return moved?.deliveries ?? 0
}

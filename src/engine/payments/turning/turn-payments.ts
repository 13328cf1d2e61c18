import type { Tx } from '../../context.ts'
import { type ClockTurn, turnedTimes } from '../../../rules/sandbox/clock-turn.ts'
import { dueAt, type Payment } from '../../../rules/payments/payment.ts'
import { invalidState } from '../../../rules/refusal.ts'
import { turnSlots } from '../../requisites/slots.ts'
import { closeEnded } from '../close-payments.ts'
import { announcePayments } from '../lock-payment.ts'
import { turnReminders } from '../reminders/remind-of-acks.ts'
import { lockPayments } from '../store.ts'
import { listRunning, updateTimes } from './store.ts'

/** Most payments per turn. */
const mostPayments = 10_000

const turned = (payment: Payment, turn: ClockTurn): Payment => {
  const { expiredAt, ...windows } = turnedTimes(payment, turn)
  return { ...payment, expiredAt, terms: { ...payment.terms, ...windows } }
}

const toRow = (payment: Payment) => {
  const { merchantId, id, expiredAt } = payment
  const { graceMs, lateWindowMs, confirmDeadlineMs } = payment.terms
  return { merchantId, id, expiredAt, dueAt: dueAt(payment), windows: { graceMs, lateWindowMs, confirmDeadlineMs } }
}

/**
 * Moves the payments of a sandbox merchant, their slots and the reminders of its unacknowledged credits forward in time. What has then ended is closed in the same
 * transaction, because an open payment must never be without its slot. Returns how many payments it moved. Refuses
 * `invalid_state` if there are too many.
 */
export const turnPayments = async (tx: Tx, merchantId: string, turn: ClockTurn): Promise<number> => {
  const running = await tx.query(listRunning, { merchantId, now: tx.now, limit: mostPayments + 1 })
  if (running.length > mostPayments)
    throw invalidState(`More than ${mostPayments} payments of the merchant wait: cancel some of them.`)
  const payments = running.length === 0 ? [] : await tx.query(lockPayments, { rows: running })
  const after = payments.map((payment) => turned(payment, turn))
  if (after.length > 0) await tx.query(updateTimes, { rows: after.map(toRow) })
  await turnSlots(tx, merchantId, turn)
  await turnReminders(tx, merchantId, turn.byMs)
  await closeEnded(tx, after)
  announcePayments(tx, after)
  return after.length
}

import type { Context, Tx } from '../../context.ts'
import { type ClockTurn, turnedTimes } from '../../../rules/sandbox/clock-turn.ts'
import { dueAt, type Payment, type PaymentStatus } from '../../../rules/payments/payment.ts'
import { invalidState } from '../../../rules/refusal.ts'
import { turnSlots } from '../../requisites/slots.ts'
import { closeEnded } from '../close-payments.ts'
import { announcePayments } from '../lock-payment.ts'
import { turnReminders } from '../reminders/remind-of-acks.ts'
import { lockPayments } from '../store.ts'
import { listHolding, updateTimes } from './store.ts'

/** Most payments per turn. */
const mostPayments = 10_000
/** Payments per transaction: on the embedded database, all other work waits for each. */
const movedAtOnce = 100

/** The statuses of unpaid payments whose time, or late window, may be running. */
const running: ReadonlySet<PaymentStatus> = new Set(['new', 'processing', 'expired', 'disput'])

const turned = (payment: Payment, turn: ClockTurn): Payment => {
  const { expiredAt, ...windows } = turnedTimes(payment, turn)
  return { ...payment, expiredAt, terms: { ...payment.terms, ...windows } }
}

const toRow = (payment: Payment) => {
  const { merchantId, id, expiredAt } = payment
  const { graceMs, lateWindowMs, confirmDeadlineMs } = payment.terms
  return { merchantId, id, expiredAt, dueAt: dueAt(payment), windows: { graceMs, lateWindowMs, confirmDeadlineMs } }
}

const turnSome = async (
  tx: Tx,
  merchantId: string,
  turn: ClockTurn,
  rows: Parameters<typeof lockPayments.encode>[0]['rows'],
): Promise<number> => {
  const payments = (await tx.query(lockPayments, { rows })).filter(({ status }) => running.has(status))
  const after = payments.map((payment) => turned(payment, turn))
  if (after.length > 0) await tx.query(updateTimes, { rows: after.map(toRow) })
  await turnSlots(
    tx,
    merchantId,
    turn,
    rows.map(({ paymentId }) => paymentId),
  )
  await closeEnded(tx, after)
  announcePayments(tx, after)
  return after.length
}

/**
 * Moves the payments of a sandbox merchant, their slots and the reminders of its unacknowledged credits forward in time,
 * some payments per transaction, so that others get their turn. What has then ended is closed in the same transaction, because an open payment must never be without its
 * slot. Returns how many unpaid payments it moved. Refuses `invalid_state` if there are too many.
 */
export const turnPayments = async (context: Context, merchantId: string, turn: ClockTurn): Promise<number> => {
  const holding = await context.query(listHolding, { merchantId, now: turn.now, limit: mostPayments + 1 })
  if (holding.length > mostPayments)
    throw invalidState(`More than ${mostPayments} payments of the merchant wait: cancel some of them.`)
  let moved = 0
  for (let from = 0; from < holding.length; from += movedAtOnce) {
    const rows = holding.slice(from, from + movedAtOnce)
    moved += await context.transaction((tx) => turnSome(tx, merchantId, turn, rows))
  }
  await context.transaction((tx) => turnReminders(tx, merchantId, turn.byMs))
  return moved
}

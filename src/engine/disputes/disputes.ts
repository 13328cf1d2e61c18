import { bringBack } from '../bring-back.ts'
import type { Context, Tx } from '../context.ts'
import { forEachAlone } from '../for-each-alone.ts'
import type { Queryable } from 'payin-database'
import type { ClockTurn } from '../../rules/sandbox/clock-turn.ts'
import {
  type Claimant,
  claimCheck,
  type Dispute,
  type DisputeReason,
  disputeDeadlineMs,
  maxClaims,
  nextReminder,
  reminderMs,
  serviceDispute,
  startOfDispute,
} from '../../rules/payments/dispute.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { invalidState, Refusal, refuseField } from '../../rules/refusal.ts'
import { formatInstant } from '../../rules/time.ts'
import { sumReversed } from '../ledger/read.ts'
import { lockPayment } from '../payments/lock-payment.ts'
import { startChanges } from '../payments/start-changes.ts'
import { isReported } from '../transfers/read.ts'
import { listDisputesOfPayment, listReceiptsOf, readDispute } from './read.ts'
import { listDueClaims, markClaimsTurned, scheduleClaimCheck } from './claims/store.ts'
import { insertEvent, listReminders, listUndisputed, markDisputesTurned, saveDispute } from './store.ts'

/** A claim about a payment; `amount` in minor units of its currency. */
type Claim = {
  readonly claimant: Claimant
  readonly actor: string
  readonly amount: bigint
  readonly reason: DisputeReason
  readonly note: string | null
}

const isUndecided = ({ decidedAt }: Dispute): boolean => decidedAt === null

/**
 * The undecided dispute of a locked payment; if money or a receipt took the payment to `disput`, its dispute is created
 * now.
 */
export const disputeOf = async (tx: Tx, payment: Payment): Promise<Dispute | undefined> => {
  const known = (await listDisputesOfPayment(tx, payment)).find(isUndecided)
  if (known || payment.status !== 'disput') return known
  const { merchantId, id: paymentId } = payment
  const fields = { merchantId, paymentId, state: 'open', note: null, correction: null } as const
  const made = newDispute(tx, { ...fields, ...serviceDispute(payment) })
  await writeDispute(tx, made, { kind: 'opened', actor: made.openedBy, note: null })
  return made
}

/** Refuses to correct a credit that a bank has reversed, wholly or in part. */
export const refuseReversed = async (tx: Tx, { merchantId, id }: Payment): Promise<void> => {
  if ((await sumReversed(tx, merchantId, id)) === 0n) return
  throw invalidState('The bank took back money of this payment; correct the balance with an adjustment.')
}

/**
 * Whether merchants and payers may claim an amount: at most the payment's, or one that its bank has reported and that
 * waits in the inbox.
 */
export const isClaimable = async (sql: Queryable, payment: Payment, amount: bigint): Promise<boolean> =>
  amount <= payment.amount || isReported(sql, payment, amount)

/**
 * Opens a dispute about a payment that was closed unpaid and takes it to `disput`. For a credited payment operators
 * propose a correction, and its status stays until a second operator confirms it. Refuses `payment_not_found`,
 * `amount_above_max`, `dispute_exists` and `invalid_state`.
 */
export const openDispute = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  { claimant, actor, amount, reason, note }: Claim,
): Promise<Dispute> => {
  const payment = await lockPayment(tx, key.merchantId, key.id)
  if (!payment) throw new Refusal('payment_not_found', 'There is no such payment.')
  const before = await listDisputesOfPayment(tx, payment)
  if (before.some(isUndecided)) throw new Refusal('dispute_exists', 'There is an open dispute about this payment.')
  if (claimant === 'merchant' && before.filter((each) => each.claimant === claimant).length >= maxClaims)
    throw invalidState(`The payment has had ${maxClaims} disputes: ask the operator.`)
  if (claimant === 'merchant' && !(await isClaimable(tx, payment, amount)))
    throw refuseField('amount', 'is more than the payment asks for, and no bank has reported it.', 'amount_above_max')
  const state = startOfDispute(payment, claimant)
  if (state === 'proposed') await refuseReversed(tx, payment)
  const { merchantId, id: paymentId, status: fromStatus, finalAmount: fromFinalAmount } = payment
  const none = { assign: [], unassign: [] }
  const money = payment.received
  const proposal = { amount, by: actor, at: tx.now, plan: none, money, confirmedBy: null, confirmedAt: null }
  const correction = state === 'proposed' ? proposal : null
  const fields = { merchantId, paymentId, state, claimant, openedBy: actor, amount, reason, note, correction }
  const dispute = newDispute(tx, { ...fields, fromStatus, fromFinalAmount })
  if (state === 'open') {
    const changes = startChanges(tx, actor)
    changes.change(payment, { to: 'disput', reason: 'claim', trigger: 'dispute-opened' })
    await changes.write()
  }
  await writeDispute(tx, dispute, { kind: state === 'open' ? 'opened' : 'proposed', actor, note })
  return dispute
}

/** Most payments, claims or disputes per round. */
const batchSize = 100

/** Opens the disputes of payments that money or a receipt has taken to `disput`; returns how many. */
export const openServiceDisputes = async (context: Context): Promise<number> => {
  const found = await context.query(listUndisputed, { limit: batchSize })
  return forEachAlone(found, ({ merchantId, paymentId }) =>
    context.transaction(async (tx) => {
      const payment = await lockPayment(tx, merchantId, paymentId)
      if (payment) await disputeOf(tx, payment)
    }),
  )
}

type DisputeEvent = {
  readonly kind:
    | 'proposed'
    | 'opened'
    | 'evidence-added'
    | 'correction-proposed'
    | 'confirmed'
    | 'accepted'
    | 'rejected'
    | 'withdrawn'
    | 'reminded'
  readonly actor: string
  readonly note: string | null
}

/** Writes a new or changed dispute with its event; its payment must be locked. */
export const writeDispute = async (tx: Tx, dispute: Dispute, event: DisputeEvent): Promise<void> => {
  const { correction, ...rest } = dispute
  const row = {
    ...rest,
    correctionAmount: correction?.amount ?? null,
    correctionBy: correction?.by ?? null,
    correctionAt: correction?.at ?? null,
    correctionPlan: correction?.plan ?? null,
    correctionMoney: correction?.money ?? null,
    confirmedBy: correction?.confirmedBy ?? null,
    confirmedAt: correction?.confirmedAt ?? null,
  }
  await tx.query(saveDispute, row)
  await tx.query(insertEvent, { merchantId: dispute.merchantId, disputeId: dispute.id, ...event, at: tx.now })
  tx.afterCommit(() => tx.changes.announce('disputes', [dispute.merchantId]))
}

const newDispute = (
  tx: Tx,
  fields: Omit<
    Dispute,
    'id' | 'openedAt' | 'dueAt' | 'remindAt' | 'finalAmount' | 'decidedBy' | 'decidedAt' | 'decisionNote'
  >,
): Dispute => {
  const dueAt = tx.now + disputeDeadlineMs
  return {
    ...fields,
    id: tx.newId(),
    openedAt: tx.now,
    dueAt,
    remindAt: nextReminder(dueAt, tx.now),
    finalAmount: null,
    decidedBy: null,
    decidedAt: null,
    decisionNote: null,
  }
}

/** Opens disputes for payers' claims that are due (see `claimCheck`); returns how many claims were checked. */
export const openClaimedDisputes = async (context: Context): Promise<number> => {
  const claims = await context.query(listDueClaims, { now: context.clock(), limit: batchSize })
  return forEachAlone(claims, (claim) =>
    context.transaction(async (tx) => {
      const payment = await lockPayment(tx, claim.merchantId, claim.paymentId)
      if (!payment) return
      const receipts = await listReceiptsOf(tx, [claim])
      const known = await listDisputesOfPayment(tx, payment)
      // Somebody has already dealt with this payment, so the payer's claim is known.
      const turn = known.length > 0 ? 'never' : claimCheck(payment, receipts.length > 0, tx.now)
      if (turn === 'now') {
        const fields = { reason: 'paid-not-credited', amount: claim.amount, note: null } as const
        await openDispute(tx, payment, { claimant: 'payer', actor: 'payer', ...fields })
      }
      await tx.query(scheduleClaimCheck, { ...claim, checkAt: typeof turn === 'number' ? turn : null })
    }),
  )
}

/**
 * Reminds operators of waiting disputes: a day before the deadline, at it and then every day, by an event of the
 * dispute and a line in the log. Decides nothing. Returns how many reminders it gave.
 */
export const remindDisputes = async (context: Context): Promise<number> => {
  const due = await context.query(listReminders, { now: context.clock(), limit: batchSize })
  return forEachAlone(due, ({ merchantId, id, paymentId }) =>
    context.transaction(async (tx) => {
      await lockPayment(tx, merchantId, paymentId)
      const dispute = await readDispute(tx, merchantId, id)
      if (dispute.decidedAt !== null || dispute.remindAt === null || dispute.remindAt > tx.now) return
      const after = { ...dispute, remindAt: nextReminder(dispute.dueAt, tx.now) }
      await writeDispute(tx, after, { kind: 'reminded', actor: 'service', note: null })
      const overdue = tx.now >= dispute.dueAt
      const line = { merchantId, disputeId: id, dueAt: formatInstant(dispute.dueAt), overdue }
      tx.afterCommit(() => context.log.warn(line, 'a dispute waits for a decision'))
    }),
  )
}

/** Lets reminders come now that a clock that was ahead has planned; returns how many. */
export const bringDisputeRemindersBack = bringBack('disputes', 'remind_at', reminderMs, 'and remind_at > due_at')

/** Turns forward the deadlines and reminders of a sandbox merchant's disputes, and the checks of its payers' claims. */
export const turnDisputes = async (tx: Tx, merchantId: string, { byMs, now }: ClockTurn): Promise<number> => {
  const turn = { merchantId, now, byMs: BigInt(byMs) }
  await tx.query(markClaimsTurned, turn)
  return (await tx.query(markDisputesTurned, turn)).length
}

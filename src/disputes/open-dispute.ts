import type { Context, Tx } from '../context.ts'
import {
  type Claimant,
  type Dispute,
  type DisputeReason,
  maxClaims,
  serviceDispute,
  startOfDispute,
} from '../domain/dispute.ts'
import type { Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import { sumReversed } from '../ledger/read.ts'
import { lockPayment } from '../payments/lock-payment.ts'
import { startChanges } from '../payments/start-changes.ts'
import { listDisputesOfPayment } from './read.ts'
import { listUndisputed } from './store.ts'
import { newDispute, writeDispute } from './write-dispute.ts'

/** What somebody claims about a payment; `amount` in minor units of its currency. */
export type Claim = {
  readonly claimant: Claimant
  readonly actor: string
  readonly amount: bigint
  readonly reason: DisputeReason
  readonly note: string | null
}

const isUndecided = ({ decidedAt }: Dispute): boolean => decidedAt === null

/** The undecided dispute of a locked payment; one that money or a receipt took to `disput` gets its own now. */
export const disputeOf = async (tx: Tx, payment: Payment): Promise<Dispute | undefined> => {
  const known = (await listDisputesOfPayment(tx, payment)).find(isUndecided)
  if (known || payment.status !== 'disput') return known
  const { merchantId, id: paymentId } = payment
  const fields = { merchantId, paymentId, state: 'open', note: null, correction: null } as const
  const made = newDispute(tx, { ...fields, ...serviceDispute(payment) })
  await writeDispute(tx, made, { kind: 'opened', actor: made.openedBy, note: null })
  return made
}

/** Refuses to correct a credit that a bank has undone, or a part of it. */
export const refuseReversed = async (tx: Tx, { merchantId, id }: Payment): Promise<void> => {
  if ((await sumReversed(tx, merchantId, id)) === 0n) return
  throw new Refusal('invalid_state', 'The bank took money of this payment back; correct the balance by an adjustment.')
}

/**
 * Opens a dispute about a payment that was closed unpaid and takes it to `disput`. About a credited one operators propose
 * a correction, and its status stays until a second one confirms it. Refuses `payment_not_found`, `dispute_exists` and
 * `invalid_state`.
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
    throw new Refusal('invalid_state', `The payment has had ${maxClaims} disputes: ask the operator.`)
  const state = startOfDispute(payment, claimant)
  if (state === 'proposed') await refuseReversed(tx, payment)
  const { merchantId, id: paymentId, status: fromStatus, finalAmount: fromFinalAmount } = payment
  const none = { assign: [], unassign: [] }
  const proposal = { amount, by: actor, at: tx.now, plan: none, confirmedBy: null, confirmedAt: null }
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

/** Most payments that one round takes. */
const batchSize = 100

/** Opens the disputes of payments that money or a receipt has taken to `disput`; returns how many. */
export const openServiceDisputes = async (context: Context): Promise<number> => {
  const found = await context.query(listUndisputed, { limit: batchSize })
  for (const { merchantId, paymentId } of found) {
    await context.transaction(async (tx) => {
      const payment = await lockPayment(tx, merchantId, paymentId)
      if (payment) await disputeOf(tx, payment)
    })
  }
  return found.length
}

import type { Tx } from '../context.ts'
import {
  postCreditReversal,
  postUncreditedReversal,
  type ReversalEffect,
  type ReversedPart,
} from '../domain/correction.ts'
import { account, type Posting } from '../domain/ledger.ts'
import { creditedStatuses, type Payment, requisitesOf, slotUntil } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import { heldFor } from '../ledger/held-for.ts'
import { lockOwed } from '../ledger/lock-owed.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { enqueueReversal } from '../notifications/enqueue-reversal.ts'
import { lockPayment } from '../payments/lock-payment.ts'
import { startChanges } from '../payments/start-changes.ts'
import { releaseSlots } from '../requisites/release-slots.ts'
import {
  insertReversal,
  listReversals,
  lockTransferParts,
  resolveCase,
  sumReversedCredits,
  type TransferPart,
} from './store.ts'

/** A transfer that the bank took back, and when the bank booked that. */
export type NewReversal = {
  readonly requisiteId: string
  readonly transferId: string
  readonly bookedAt: Instant
  readonly reason: string
  readonly recordedBy: string
}

/** What the reversal of a part of a transfer did. */
export type RecordedReversal = {
  readonly id: string
  readonly part: number
  readonly effect: ReversalEffect
  readonly currency: string
  readonly amount: bigint
  readonly merchantId: string | null
  readonly paymentId: string | null
}

const tooLate = (message: string): Refusal => new Refusal('invalid_state', message)

/** Gives up money that waited for a payment; the payment goes on waiting with what is left. */
const giveUp = async (tx: Tx, payment: Payment, part: ReversedPart, actor: string): Promise<void> => {
  const changes = startChanges(tx, actor)
  const after = changes.amend(payment, { received: payment.received - part.amount })
  changes.post([postUncreditedReversal(payment, 'held', part)])
  await changes.write()
  const heldUntil = slotUntil(after, tx.now)
  if (after.status !== 'processing' || heldUntil === null) return
  // Without money a payment may wait longer than with a part of it, and holds its slot for so long.
  const { amount, id: paymentId } = after
  await releaseSlots(
    tx,
    requisitesOf(after).map((requisiteId) => ({ requisiteId, amount, paymentId, heldUntil })),
  )
}

/** Takes money of a payment back: what waits is given up, what was credited is reversed. */
const reversePaid = async (tx: Tx, payment: Payment, part: ReversedPart, actor: string): Promise<ReversalEffect> => {
  const { merchantId, id: paymentId } = payment
  if (!creditedStatuses.has(payment.status)) {
    if ((await heldFor(tx, merchantId, paymentId)) < part.amount) {
      throw tooLate('The payment is in dispute after a credit: decide the dispute first.')
    }
    await giveUp(tx, payment, part, actor)
    return 'held'
  }
  const [row] = await tx.query(sumReversedCredits, { merchantId, paymentId })
  const postings = postCreditReversal(payment, payment.received - (row?.amount ?? 0n), part)
  await postEntries(tx, [postings])
  await enqueueReversal(tx, payment, part.amount, netOf(postings, merchantId))
  return 'credit'
}

const netOf = (postings: readonly Posting[], merchantId: string): bigint =>
  postings.reduce((sum, { debit, amount }) => (debit === account.available(merchantId) ? sum + amount : sum), 0n)

const reversePart = async (tx: Tx, part: TransferPart, id: string, reversal: NewReversal): Promise<ReversalEffect> => {
  const reversed = { ...part, ...reversal, id }
  if (part.merchantId === null || part.paymentId === null) {
    await postEntries(tx, [[postUncreditedReversal(null, 'suspense', reversed)]])
    await tx.query(resolveCase, { requisiteId: part.requisiteId, transferId: part.transferId, now: tx.now })
    return 'suspense'
  }
  const payment = await lockPayment(tx, part.merchantId, part.paymentId)
  if (!payment) throw new Error(`transfer ${part.transferId}: its payment is unknown`)
  if (part.kind === 'payment') return reversePaid(tx, payment, reversed, reversal.recordedBy)
  const owed = await lockOwed(tx, payment.merchantId, account.overpayment(payment.id), part.currency)
  if (owed < part.amount) throw tooLate('The overpayment has been decided already: post an adjustment instead.')
  await postEntries(tx, [[postUncreditedReversal(payment, 'overpayment', reversed)]])
  return 'overpayment'
}

/**
 * Records that the bank took a whole transfer back. Money that waits leaves suspense; a credit is undone by reversing
 * entries, though its payment stays paid; the merchant is told. The same transfer again changes nothing. Refuses
 * `resource_not_found`, `invalid_state` when an overpayment was decided or a dispute is open about a credit.
 */
export const reverseTransfer = async (tx: Tx, reversal: NewReversal): Promise<RecordedReversal[]> => {
  const { requisiteId, transferId } = reversal
  const parts = await tx.query(lockTransferParts, { requisiteId, transferId })
  if (parts.length === 0) throw new Refusal('resource_not_found', 'There is no such transfer.')
  const known = await tx.query(listReversals, { requisiteId, transferId })
  if (known.length > 0) return known
  const reversed: RecordedReversal[] = []
  for (const part of parts) {
    const id = tx.newId()
    const effect = await reversePart(tx, part, id, reversal)
    const { currency, amount, merchantId, paymentId } = part
    const recorded = { id, part: part.part, effect, currency, amount, merchantId, paymentId }
    // One by one: the next part may be of the same payment.
    await tx.query(insertReversal, { ...reversal, ...recorded, recordedAt: tx.now })
    reversed.push(recorded)
  }
  return reversed
}

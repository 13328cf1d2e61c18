import type { Tx } from '../context.ts'
import { account, postIgnored, postOverpayment, reversePostings } from '../domain/ledger.ts'
import type { Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import { lockOwed } from '../ledger/read.ts'
import type { LockedTransfer } from './lock-transfer.ts'
import type { Books } from './open-books.ts'
import type { TransferPart } from './store.ts'
import { type Decider, decidedPart, writeParts } from './write-parts.ts'

/** Refuses overpayments of which a part was already assigned, refunded or written off. */
const refuseDecided = async (tx: Tx, currency: string, parts: readonly TransferPart[]): Promise<void> => {
  const wanted = new Map<string, bigint>()
  for (const { kind, merchantId, paymentId, amount } of parts) {
    if (kind !== 'overpayment' || merchantId === null || paymentId === null) continue
    const sum = (wanted.get(paymentId) ?? 0n) + amount
    wanted.set(paymentId, sum)
    if ((await lockOwed(tx, merchantId, account.overpayment(paymentId), currency)) < sum) {
      throw new Refusal('invalid_state', 'This overpayment was already decided on.')
    }
  }
}

/** Moves the money of a part to suspense, from where it went. */
const suspendPart = (
  { changes, credits }: Books,
  { id: transferId, requisiteId, currency }: LockedTransfer,
  { kind, amount, paymentId }: TransferPart,
  payments: ReadonlyMap<string, Payment>,
): void => {
  const money = { transferId, requisiteId, amount }
  if (kind === 'ignored') {
    changes.post(reversePostings([postIgnored(currency, money)]))
    return
  }
  if (kind === 'payment' || kind === 'overpayment') {
    const payment = payments.get(paymentId ?? '')
    if (!payment) throw new Error(`transfer ${transferId}: its payment is not locked`)
    if (kind === 'payment') credits.takeBack(payment, money)
    else changes.post(reversePostings([postOverpayment(payment.merchantId, payment.id, payment.currency, money)]))
  }
  credits.suspend(currency, money)
}

/**
 * Returns parts of a locked transfer to the inbox by reversing entries; the payments that have them must be locked.
 * Refuses `invalid_state` for money that has left the bank and for overpayments that were decided on.
 */
export const unassignParts = async (
  tx: Tx,
  books: Books,
  transfer: LockedTransfer,
  isUnassigned: (part: TransferPart) => boolean,
  payments: ReadonlyMap<string, Payment>,
  decider: Decider,
): Promise<void> => {
  const unassigned = transfer.parts.filter((part) => part.kind !== 'suspense' && isUnassigned(part))
  const hasLeft = unassigned.some((part) => part.kind === 'withdrawn' || part.reversedAmount > 0n)
  if (transfer.reversedAt !== null || hasLeft)
    throw new Refusal('invalid_state', 'The money of this transfer has left the bank again.')
  await refuseDecided(tx, transfer.currency, unassigned)
  for (const part of unassigned) suspendPart(books, transfer, part, payments)
  const kept = transfer.parts.filter((part) => part.kind !== 'suspense' && !isUnassigned(part))
  const waiting = transfer.amount - kept.reduce((sum, { amount }) => sum + amount, 0n)
  await writeParts(tx, transfer, [...kept, decidedPart('suspense', waiting, null, 'unassigned', decider)], decider)
}

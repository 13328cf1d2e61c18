import type { Tx } from '../context.ts'
import { account, type ArrivingMoney, postIgnored, postOverpayment, reversePostings } from '../domain/ledger.ts'
import { creditedStatuses, type Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import { lockOwed } from '../ledger/read.ts'
import type { Credits } from '../payments/credit-payments.ts'
import type { PaymentChanges } from '../payments/start-changes.ts'
import { findTransferOf } from './list-transfers.ts'
import {
  addAllocations,
  lockTransfer,
  reopenCase,
  resolveCase,
  reverseAllocations,
  type TransferPart,
} from './store.ts'

/** Names a transfer. */
export type TransferKey = { readonly requisiteId: string; readonly id: string }

/** A transfer that its transaction has locked. */
export type LockedTransfer = NonNullable<Awaited<ReturnType<typeof findTransferOf>>>

/** The changes of a transaction to its locked payments, and the settling that is a part of them. */
export type Books = { readonly changes: PaymentChanges; readonly credits: Credits }

/** Who decides about a transfer, and why. */
export type Decider = { readonly actor: string; readonly note: string | null }

/**
 * Locks a transfer against other decisions; lock its payments first. Refuses `resource_not_found`, and `invalid_state`
 * while the import that brought it is being undone.
 */
export const lockTransferOf = async (tx: Tx, { requisiteId, id }: TransferKey): Promise<LockedTransfer> => {
  await tx.query(lockTransfer, { requisiteId, id })
  const transfer = await findTransferOf(tx, requisiteId, id)
  if (!transfer) throw new Refusal('resource_not_found', 'There is no such transfer.')
  if (transfer.undoing) throw new Refusal('invalid_state', 'The statement that brought this transfer is being undone.')
  return transfer
}

/** What of a transfer waits in the inbox, in minor units; refuses `invalid_state` when nothing does. */
export const waitingAmount = ({ parts }: LockedTransfer): bigint => {
  const waiting = parts.reduce((sum, part) => (part.kind === 'suspense' ? sum + part.amount : sum), 0n)
  if (waiting === 0n)
    throw new Refusal('invalid_state', 'The transfer does not wait in the inbox; undo its decision first.')
  return waiting
}

/** Replaces the parts of a locked transfer; what waits of it then has a case. */
export const writeParts = async (
  tx: Tx,
  { requisiteId, id: transferId }: LockedTransfer,
  parts: readonly TransferPart[],
  decider: Decider,
): Promise<void> => {
  const key = { requisiteId, transferId }
  await tx.query(reverseAllocations, { ...key, now: tx.now })
  await tx.query(addAllocations, {
    ...key,
    kinds: parts.map((part) => part.kind),
    amounts: parts.map((part) => part.amount),
    merchantIds: parts.map((part) => part.merchantId),
    paymentIds: parts.map((part) => part.paymentId),
    outcomes: parts.map((part) => part.outcome),
    reasons: parts.map((part) => part.reasons),
    by: parts.map((part) => part.by),
    notes: parts.map((part) => part.note),
    now: tx.now,
  })
  if (parts.some((part) => part.kind === 'suspense'))
    await tx.query(reopenCase, { ...key, note: decider.note, now: tx.now })
  else {
    const isSetAside = parts.every((part) => part.kind === 'ignored' || part.kind === 'repeated')
    const decided = isSetAside ? 'ignored' : 'assigned'
    const resolution = parts.some((part) => part.kind === 'returned') ? null : decided
    await tx.query(resolveCase, { ...key, resolution, by: decider.actor, note: decider.note, now: tx.now })
  }
}

/** A part that an operator has made. */
export const decidedPart = (
  kind: TransferPart['kind'],
  amount: bigint,
  payment: Payment | null,
  outcome: TransferPart['outcome'],
  { actor, note }: Decider,
): TransferPart => ({
  kind,
  amount,
  merchantId: payment?.merchantId ?? null,
  paymentId: payment?.id ?? null,
  outcome,
  reasons: note === null ? [] : [note],
  by: actor,
  note,
})

/** Money of a transfer. */
const moneyOf = (transfer: LockedTransfer, amount: bigint): ArrivingMoney => ({
  transferId: transfer.id,
  requisiteId: transfer.requisiteId,
  amount,
})

/**
 * Gives what waits of a locked transfer to locked payments, each its amount; what is left goes on waiting. The payments
 * are credited as if the bank had reported the money, by reversing what is in suspense.
 */
export const placeTransfer = async (
  tx: Tx,
  { credits }: Books,
  transfer: LockedTransfer,
  shares: readonly { readonly payment: Payment; readonly amount: bigint }[],
  decider: Decider,
): Promise<void> => {
  const waiting = waitingAmount(transfer)
  const given = shares.reduce((sum, share) => sum + share.amount, 0n)
  const kept = transfer.parts.filter((part) => part.kind !== 'suspense')
  const made = shares.map(({ payment, amount }) => {
    const money = moneyOf(transfer, amount)
    const isCredited = creditedStatuses.has(credits.current(payment).status)
    credits.release(transfer.currency, money)
    credits.receive(payment, money, transfer.bookedAt, transfer.senderMasked)
    return decidedPart(isCredited ? 'overpayment' : 'payment', amount, payment, 'assigned', decider)
  })
  const rest = waiting > given ? [decidedPart('suspense', waiting - given, null, 'none', decider)] : []
  await writeParts(tx, transfer, [...kept, ...made, ...rest], decider)
}

/** Refuses to take overpayments back that were assigned, refunded or written off. */
const refuseDecided = async (tx: Tx, currency: string, taken: readonly TransferPart[]): Promise<void> => {
  const wanted = new Map<string, bigint>()
  for (const { kind, merchantId, paymentId, amount } of taken) {
    if (kind !== 'overpayment' || merchantId === null || paymentId === null) continue
    const sum = (wanted.get(paymentId) ?? 0n) + amount
    wanted.set(paymentId, sum)
    if ((await lockOwed(tx, merchantId, account.overpayment(paymentId), currency)) < sum) {
      throw new Refusal('invalid_state', 'It has been decided already what becomes of this overpayment.')
    }
  }
}

/**
 * Takes parts of a locked transfer back into the inbox by reversing entries; the payments that have them must be locked.
 */
export const takeBackParts = async (
  tx: Tx,
  { changes, credits }: Books,
  transfer: LockedTransfer,
  isTaken: (part: TransferPart) => boolean,
  payments: ReadonlyMap<string, Payment>,
  decider: Decider,
): Promise<void> => {
  if (transfer.reversedAt !== null || transfer.parts.some((part) => part.kind === 'returned')) {
    throw new Refusal('invalid_state', 'The money of this transfer has left the bank again.')
  }
  await refuseDecided(tx, transfer.currency, transfer.parts.filter(isTaken))
  const isBack = (part: TransferPart): boolean => part.kind === 'suspense' || isTaken(part)
  for (const part of transfer.parts) {
    if (part.kind === 'suspense' || !isTaken(part)) continue
    const money = moneyOf(transfer, part.amount)
    if (part.kind === 'repeated') {
      credits.suspend(transfer.currency, money)
      continue
    }
    if (part.kind === 'ignored') {
      changes.post(reversePostings([postIgnored(transfer.currency, money)]))
      continue
    }
    const payment = payments.get(part.paymentId ?? '')
    if (!payment) throw new Error(`transfer ${transfer.id}: its payment is not locked`)
    if (part.kind === 'payment') credits.giveBack(payment, money)
    else changes.post(reversePostings([postOverpayment(payment.merchantId, payment.id, payment.currency, money)]))
    credits.suspend(transfer.currency, money)
  }
  const back = transfer.parts.reduce((sum, part) => (isBack(part) ? sum + part.amount : sum), 0n)
  const kept = transfer.parts.filter((part) => !isBack(part))
  await writeParts(tx, transfer, [...kept, decidedPart('suspense', back, null, 'undone', decider)], decider)
}

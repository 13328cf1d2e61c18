import type { Tx } from '../context.ts'
import { account, postIgnored, postOverpayment, reversePostings } from '../../rules/money/ledger.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { invalidState } from '../../rules/refusal.ts'
import { lockOwed } from '../ledger/read.ts'
import { lockPaymentsByKey } from '../payments/lock-payment.ts'
import {
  type Assigner,
  type Books,
  type Decider,
  decidedPart,
  type LockedTransfer,
  lockTransfer,
  openBooks,
  refuseOtherSide,
  type TransferKey,
  writeParts,
} from './transfer-parts.ts'
import { noteUsedAgain } from './lone-reports/note-used-again.ts'
import { getTransfer } from './read.ts'
import { listTransfersOf, type TransferPart } from './store.ts'

/** Whether the bank no longer has the money of a part. */
const isGone = (kind: TransferPart['kind']): boolean => kind === 'reversed' || kind === 'withdrawn'

const paymentsOf = (parts: readonly TransferPart[]) =>
  parts.flatMap(({ merchantId, paymentId }) => (merchantId && paymentId ? [{ merchantId, paymentId }] : []))

/** All parts of a transfer that were decided and whose money is still at the bank. */
const decidedParts = ({ parts }: LockedTransfer): readonly TransferPart[] =>
  parts.filter(({ kind }) => kind !== 'suspense' && !isGone(kind))

export type Unassigner = Decider & Pick<Assigner, 'loneReport'>

/**
 * Returns a transfer to the inbox by reversing entries, whoever decided about it. What a payment was credited with
 * stays there: removing it takes a correction. Ignored money, beyond what one person may use again, then waits for
 * another operator. `choose` may leave some parts where they are. Refuses `resource_not_found` and `invalid_state`.
 */
export const unassignTransfer = async (
  tx: Tx,
  key: TransferKey,
  decider: Unassigner,
  choose = decidedParts,
): Promise<void> => {
  const { parts } = await getTransfer(tx, key)
  const locked = await lockPaymentsByKey(tx, paymentsOf(parts))
  const payments = new Map(locked.map((payment) => [payment.id, payment]))
  const transfer = await lockTransfer(tx, key)
  await refuseOtherSide(tx, transfer)
  // Meanwhile it may have been assigned to other payments, which are not locked.
  const isSame = paymentsOf(transfer.parts).every(({ paymentId }) => payments.has(paymentId))
  const chosen = new Set(choose(transfer))
  if (!isSame || chosen.size === 0) throw invalidState('There is nothing to unassign; read the transfer again.')
  for (const part of chosen) {
    const payment = payments.get(part.paymentId ?? '')
    if (part.kind !== 'payment' || !payment || payment.status === 'processing') continue
    const { orderId, status } = payment
    if (status === 'disput') throw invalidState(`${orderId} is in dispute with this money: decide the dispute instead.`)
    throw invalidState(`${orderId} is ${status} with this money: open a correction instead.`)
  }
  const kinds = new Set([...chosen].map(({ kind }) => kind))
  if (kinds.has('ignored')) await noteUsedAgain(tx, transfer, decider)
  const books = openBooks(tx, decider.actor)
  await unassignParts(tx, books, transfer, (part) => chosen.has(part), payments, decider)
  await books.changes.write()
}

const refuseDecided = async (tx: Tx, currency: string, parts: readonly TransferPart[]): Promise<void> => {
  const wanted = new Map<string, bigint>()
  for (const { kind, merchantId, paymentId, amount } of parts) {
    if (kind !== 'overpayment' || merchantId === null || paymentId === null) continue
    const sum = (wanted.get(paymentId) ?? 0n) + amount
    wanted.set(paymentId, sum)
    if ((await lockOwed(tx, merchantId, account.overpayment(paymentId), currency)) < sum) {
      throw invalidState('This overpayment has already been decided.')
    }
  }
}

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
 * Returns parts of a locked transfer to the inbox by reversing entries; their payments must be locked. Refuses
 * `invalid_state` for money that has left the bank and for decided overpayments.
 */
const unassignParts = async (
  tx: Tx,
  books: Books,
  transfer: LockedTransfer,
  isUnassigned: (part: TransferPart) => boolean,
  payments: ReadonlyMap<string, Payment>,
  decider: Decider,
): Promise<void> => {
  const unassigned = transfer.parts.filter((part) => part.kind !== 'suspense' && isUnassigned(part))
  const hasLeft = unassigned.some((part) => part.kind === 'withdrawn' || part.reversedAmount > 0n)
  if (transfer.reversedAt !== null || hasLeft) throw invalidState('The money of this transfer has left the bank again.')
  await refuseDecided(tx, transfer.currency, unassigned)
  for (const part of unassigned) suspendPart(books, transfer, part, payments)
  const kept = transfer.parts.filter((part) => part.kind !== 'suspense' && !isUnassigned(part))
  const waiting = transfer.amount - kept.reduce((sum, { amount }) => sum + amount, 0n)
  await writeParts(tx, transfer, [...kept, decidedPart('suspense', waiting, null, 'unassigned', decider)])
}

const isOf =
  (payment: Payment) =>
  (part: TransferPart): boolean =>
    part.kind === 'payment' && part.paymentId === payment.id

const transfersOf = (tx: Tx, { merchantId, id: paymentId }: Payment): Promise<TransferKey[]> =>
  tx.query(listTransfersOf, { merchantId, paymentId })

/** Returns a transfer's money in a locked, disputed payment to the inbox. Refuses `invalid_state` if there is none. */
export const unassignFromPayment = async (
  tx: Tx,
  books: Books,
  payment: Payment,
  key: TransferKey,
  decider: Decider,
): Promise<void> => {
  const transfer = await lockTransfer(tx, key)
  if (!transfer.parts.some(isOf(payment))) throw invalidState('The payment has no money of this transfer.')
  await unassignParts(tx, books, transfer, isOf(payment), new Map([[payment.id, payment]]), decider)
}

/** Returns all money of a locked, disputed payment to the inbox. */
export const unassignAllFromPayment = async (
  tx: Tx,
  books: Books,
  payment: Payment,
  decider: Decider,
): Promise<void> => {
  for (const key of await transfersOf(tx, payment)) await unassignFromPayment(tx, books, payment, key, decider)
}

/** Makes `surplus` of a locked payment's money an overpayment, beginning with its latest transfer. */
export const setSurplusAside = async (tx: Tx, payment: Payment, surplus: bigint, decider: Decider): Promise<void> => {
  let rest = surplus
  for (const key of await transfersOf(tx, payment)) {
    if (rest === 0n) return
    const transfer = await lockTransfer(tx, key)
    const parts = transfer.parts.flatMap((part) => {
      if (!isOf(payment)(part) || rest === 0n) return [part]
      const moved = part.amount < rest ? part.amount : rest
      rest -= moved
      const kept = part.amount > moved ? [{ ...part, amount: part.amount - moved }] : []
      return [...kept, decidedPart('overpayment', moved, payment, 'assigned', decider)]
    })
    await writeParts(tx, transfer, parts)
  }
}

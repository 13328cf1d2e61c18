import type { Tx } from '../../context.ts'
import { type ArrivingMoney, account, type Posting, postReturn } from '../../../rules/money/ledger.ts'
import { creditedStatuses, type Payment, requisitesOf, slotUntil } from '../../../rules/payments/payment.ts'
import { postAssignedReversal } from '../../../rules/transfers/overpayment.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { spreadReversal } from '../../../rules/transfers/reversal.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { getAssigned, lockOwed } from '../../ledger/read.ts'
import { lockPayment } from '../../payments/lock-payment.ts'
import { wasCredited } from '../../payments/read.ts'
import { startChanges } from '../../payments/start-changes.ts'
import { releaseSlots } from '../../requisites/slots.ts'
import { refuseUsedAgain } from '../lone-reports/note-used-again.ts'
import { type Assigner, type Decider, type LockedTransfer, writeParts } from '../transfer-parts.ts'
import { bookReported } from '../outgoing/book-announced.ts'
import { getTransfer } from '../read.ts'
import type { TransferPart } from '../store.ts'
import { reverseCredit } from './reverse-credit.ts'
import { confirmReversal, deleteReversal, setReversed } from './store.ts'

export type StoredReversal = Parameters<typeof confirmReversal.encode>[0] & { readonly amount: bigint }

/** Carries out a stored reversal of a locked transfer with enough left; an announced one is only confirmed. */
export const carryOutReversal = async (
  tx: Tx,
  reversal: StoredReversal,
  transfer: { readonly id: string; readonly announcedId: string | null },
  decider: Decider,
): Promise<void> => {
  const { requisiteId, id } = reversal
  if (transfer.announcedId !== null) {
    await tx.query(deleteReversal, { requisiteId, id })
    await tx.query(confirmReversal, { ...reversal, id: transfer.announcedId })
    return
  }
  await tx.query(setReversed, { requisiteId, id, transferId: transfer.id })
  // A withdrawal of its statement was ruled out after locking; one that begins now finds the reversal.
  await reverseParts(tx, await getTransfer(tx, { requisiteId, id: transfer.id }), reversal, decider)
  const { amount, bookedAt, channel, dedupeKey } = reversal
  // Whoever confirms outgoing money as a reversal also books it.
  if (dedupeKey.startsWith('outgoing:')) return
  const none = { merchantId: null, paymentId: null }
  const announced = { id, requisiteId, amount, bookedAt, channel, decidedBy: decider.actor, ...none }
  await bookReported(tx, { purpose: 'reversal', ...announced }, 0n)
}

/** How much of a payment's overpayment its payer is owed, or its merchant has by an assignment. */
const sumHeld = async (tx: Tx, { merchantId, id, currency }: Payment): Promise<bigint> => {
  const owed = await lockOwed(tx, merchantId, account.overpayment(id), currency)
  return (await getAssigned(tx, merchantId, id)).reduce((sum, { kept }) => sum + kept, owed)
}

/**
 * Refuses `second_person_required` for an operator's word that a bank takes this much of a locked transfer: with
 * `needsSecond`, if nobody has the money, because its overpayment was refunded or written off; and for ignored money
 * beyond what one person may use again, because it may have been sent back, and then the bank has taken other money.
 */
export const refuseTaking = async (
  tx: Tx,
  transfer: LockedTransfer,
  amount: bigint,
  by: Pick<Assigner, 'loneReport'> & { readonly needsSecond: boolean },
): Promise<void> => {
  const { taken } = spreadReversal(transfer.parts, amount)
  const leaving = transfer.parts.flatMap((part, index) =>
    (taken[index] ?? 0n) > 0n ? [{ part, amount: taken[index] }] : [],
  )
  for (const { part, amount: lost = 0n } of by.needsSecond ? leaving : []) {
    if (part.kind !== 'overpayment' || part.merchantId === null) continue
    const payment = await lockPayment(tx, part.merchantId, part.paymentId ?? '')
    if (payment && (await sumHeld(tx, payment)) < lost)
      throw new Refusal(
        'second_person_required',
        `Nobody has this money of ${payment.orderId} any more: its overpayment was refunded or written off. Wait for the bank’s report, or let two operators agree: on what outgoing money was for, or on setting a waiting reversal aside, and on an adjustment.`,
      )
  }
  if (leaving.some(({ part }) => part.kind === 'ignored')) await refuseUsedAgain(tx, transfer, by)
}

/** Money of a part that leaves the bank by the reversal `documentId`. */
type Leaving = { readonly money: ArrivingMoney; readonly currency: string; readonly documentId: string }

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** Takes money from a payment that was not credited with it; the payment keeps waiting with the rest. */
const reverseWaiting = async (tx: Tx, payment: Payment, leaving: Leaving, actor: string): Promise<void> => {
  const { money, currency, documentId } = leaving
  const changes = startChanges(tx, actor)
  const after = changes.amend(payment, { received: payment.received - money.amount })
  changes.post([postReturn(payment, currency, money, account.suspense, documentId)])
  await changes.write()
  const heldUntil = slotUntil(after, tx.now)
  if (after.status !== 'processing' || heldUntil === null) return
  // A payment without money may wait longer than a partly paid one, and keeps its slot for that time.
  const { amount, id: paymentId, sharesSlot } = after
  await releaseSlots(
    tx,
    requisitesOf(after).map((requisiteId) => ({ requisiteId, amount, paymentId, heldUntil, sharesSlot })),
  )
}

/** Takes money from a payment; returns whether it leaves the payment, because it was not credited with it. */
const reversePaid = async (tx: Tx, payment: Payment, leaving: Leaving, actor: string): Promise<boolean> => {
  const { money, currency, documentId } = leaving
  if (creditedStatuses.has(payment.status)) {
    await reverseCredit(tx, payment, postReturn(payment, currency, money, account.exchange(currency), documentId))
    return false
  }
  if (payment.status === 'disput' && (await wasCredited(tx, payment))) {
    // The dispute ends with a credit of all money that came; `reverseDisputed` then takes this from it.
    const from = account.reversed(payment.id)
    await postEntries(tx, [[postReturn(payment, currency, money, from, documentId)]])
    return false
  }
  await reverseWaiting(tx, payment, leaving, actor)
  return true
}

/**
 * Takes the money of an overpayment: what its payer is still owed, then what was assigned to the merchant, whose
 * balance may go below zero. What was refunded or written off is owed by somebody. Returns how much was still owed.
 */
const reverseOverpaid = async (tx: Tx, payment: Payment, { money, currency, documentId }: Leaving): Promise<bigint> => {
  const { merchantId, id } = payment
  const owed = await lockOwed(tx, merchantId, account.overpayment(id), currency)
  const taken = least(owed, money.amount)
  const transactions: Posting[][] = []
  let rest = money.amount - taken
  for (const assigned of rest > 0n ? await getAssigned(tx, merchantId, id) : []) {
    const amount = least(assigned.kept, rest)
    if (amount > 0n) transactions.push(postAssignedReversal(payment, assigned, amount))
    rest -= amount
  }
  const post = (from: string, amount: bigint): Posting =>
    postReturn(payment, currency, { ...money, amount }, from, documentId)
  const postings = [post(account.overpayment(id), money.amount - rest), post(account.reversed(id), rest)]
  await postEntries(tx, [...transactions, postings.filter(({ amount }) => amount > 0n)])
  return taken
}

/** Takes money of a part from where it went; returns what is left of the part, and what has left. */
const reversePart = async (
  tx: Tx,
  part: TransferPart,
  leaving: Leaving,
  { actor, note }: Decider,
): Promise<TransferPart[]> => {
  const { money, currency, documentId } = leaving
  // When money leaves its place, earlier reversals are not included in `part`.
  const split = (amount: bigint): TransferPart[] =>
    [
      { ...part, kind: 'reversed' as const, amount, reversedAmount: 0n, by: actor, note },
      { ...part, amount: part.amount - amount, reversedAmount: part.reversedAmount + money.amount - amount },
    ].filter((each) => each.amount > 0n)
  if (part.kind === 'suspense' || part.kind === 'ignored') {
    await postEntries(tx, [[postReturn(null, currency, money, account[part.kind], documentId)]])
    return split(money.amount)
  }
  const payment = await lockPayment(tx, part.merchantId ?? '', part.paymentId ?? '')
  if (!payment) throw new Error(`transfer ${money.transferId}: its payment is unknown`)
  if (part.kind === 'overpayment') return split(await reverseOverpaid(tx, payment, leaving))
  return split((await reversePaid(tx, payment, leaving, actor)) ? money.amount : 0n)
}

/**
 * Takes an amount of a locked transfer from where it went, because its bank reversed it. Credited money keeps its part:
 * its payment stays paid, but its merchant no longer has the money.
 */
const reverseParts = async (
  tx: Tx,
  transfer: LockedTransfer,
  reversal: { readonly id: string; readonly amount: bigint },
  decider: Decider,
): Promise<void> => {
  const { id: transferId, requisiteId, currency } = transfer
  const { taken } = spreadReversal(transfer.parts, reversal.amount)
  const parts: TransferPart[] = []
  // One at a time: the next part may be of the same payment.
  for (const [index, part] of transfer.parts.entries()) {
    const money = { transferId, requisiteId, amount: taken[index] ?? 0n }
    if (money.amount === 0n) parts.push(part)
    else parts.push(...(await reversePart(tx, part, { money, currency, documentId: reversal.id }, decider)))
  }
  await writeParts(tx, transfer, parts)
}

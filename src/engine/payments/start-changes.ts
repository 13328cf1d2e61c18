import type { Tx } from '../context.ts'
import { worthOf } from '../../rules/payments/credit.ts'
import { type ArrivingMoney, type Posting, postCredit, reversePostings } from '../../rules/money/ledger.ts'
import {
  applyChange,
  creditedStatuses,
  dueAt,
  type Payment,
  type PaymentChange,
  requisitesOf,
  slotUntil,
} from '../../rules/payments/payment.ts'
import { ackReminderDelaysMs } from '../../rules/notices/notification.ts'
import type { Instant } from '../../rules/time.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { enqueuePaymentChanges } from '../notifications/enqueue-notifications.ts'
import { releaseSlots } from '../requisites/slots.ts'
import { noteChangedHours } from './hours/count-hours.ts'
import { announcePayments, paymentKey } from './lock-payment.ts'
import { insertEvents, markAcknowledged, updatePayments } from './store.ts'

/** Who makes a change, as the event names it: `payer`, `merchant`, `service`, `bank`, or `operator:…`. */
type Actor = string

/** When a credit is first unacknowledged for too long. A payment of a link is acknowledged at once. */
const remindAt = ({ status, linkId, changedAt }: Payment): Instant | null =>
  creditedStatuses.has(status) && linkId === null ? changedAt + (ackReminderDelaysMs[0] ?? 0) : null

type Step = { readonly payment: Payment; readonly trigger: PaymentChange['trigger'] }

/**
 * Collects the changes of locked payments in one transaction and writes them in bulk: rows, events, ledger entries,
 * notifications and slots. The only way to change a status. The transaction must have locked the payments.
 */
export type PaymentChanges = {
  /** The payment after the changes so far. */
  current(payment: Payment): Payment
  /** Moves a payment along the transition table; `arriving` is the money of a credit that is not in the ledger yet. */
  change(payment: Payment, change: PaymentChange, arriving?: ArrivingMoney): Payment
  /** Changes fields other than the status. */
  amend(payment: Payment, fields: Partial<Pick<Payment, 'received' | 'sourcePan'>>): Payment
  /** Adds a ledger transaction that no status change explains. */
  post(postings: readonly Posting[]): void
  /** All postings so far. */
  postings(): readonly Posting[]
  write(): Promise<void>
}

/** The credit of a payment with `held` of its money in suspense. */
const creditOf = (payment: Payment, held: bigint, arriving: ArrivingMoney | null): Posting[] => {
  const amount = payment.finalAmount ?? payment.received
  return postCredit({
    merchantId: payment.merchantId,
    paymentId: payment.id,
    currency: payment.currency,
    quoteCurrency: payment.quoteCurrency,
    held,
    arriving,
    corrected: amount - payment.received,
    gross: worthOf(payment, amount),
    plan: payment.terms,
  })
}

/** A credited payment gives the merchant its money; if it is disputed later, all of that is taken back first. */
const postingsOf = (before: Payment, after: Payment, arriving: ArrivingMoney | undefined): Posting[] => {
  if (creditedStatuses.has(after.status)) return creditOf(after, before.received, arriving ?? null)
  return creditedStatuses.has(before.status) ? reversePostings(creditOf(before, before.received, null)) : []
}

/** Starts the changes of a transaction; see `PaymentChanges`. */
export const startChanges = (tx: Tx, actor: Actor): PaymentChanges => {
  const latest = new Map<string, Payment>()
  const steps: Step[] = []
  const entries: (readonly Posting[])[] = []
  const current = (payment: Payment): Payment => latest.get(paymentKey(payment)) ?? payment
  return {
    current,
    change: (payment, change, arriving) => {
      const before = current(payment)
      const after = applyChange(before, change, tx.now)
      latest.set(paymentKey(after), after)
      steps.push({ payment: after, trigger: change.trigger })
      entries.push(postingsOf(before, after, arriving))
      return after
    },
    amend: (payment, fields) => {
      const after = { ...current(payment), ...fields }
      latest.set(paymentKey(after), after)
      return after
    },
    post: (postings) => entries.push(postings),
    postings: () => entries.flat(),
    write: async () => {
      await writePayments(tx, actor, [...latest.values()], steps)
      await postEntries(tx, entries)
    },
  }
}

const writePayments = async (
  tx: Tx,
  actor: Actor,
  payments: readonly Payment[],
  steps: readonly Step[],
): Promise<void> => {
  if (payments.length === 0) return
  const stepped = new Set(steps.map((step) => paymentKey(step.payment)))
  await tx.query(updatePayments, {
    rows: payments.map((payment) => ({
      ...payment,
      dueAt: dueAt(payment),
      remindAt: remindAt(payment),
      hasNewStatus: stepped.has(paymentKey(payment)),
    })),
  })
  await tx.query(insertEvents, {
    rows: steps.map(({ payment, trigger }) => ({
      ...payment,
      paymentId: payment.id,
      trigger,
      actor,
      at: payment.changedAt,
    })),
  })
  // A payment of a link needs no acknowledgement: its merchant may have no server
  // (docs/decisions/0029-payment-links.md).
  const acknowledged = payments.filter(({ linkId, status }) => linkId !== null && creditedStatuses.has(status))
  if (acknowledged.length > 0) await tx.query(markAcknowledged, { now: tx.now, rows: acknowledged })
  await noteChangedHours(tx, payments)
  enqueuePaymentChanges(
    tx,
    steps.map((step) => step.payment),
  )
  const slots = payments.flatMap((payment) => {
    const heldUntil = stepped.has(paymentKey(payment)) ? slotUntil(payment, tx.now) : null
    if (heldUntil === null) return []
    const { amount, id: paymentId, sharesSlot } = payment
    return requisitesOf(payment).map((requisiteId) => ({ requisiteId, amount, paymentId, heldUntil, sharesSlot }))
  })
  await releaseSlots(tx, slots)
  announcePayments(tx, payments)
}

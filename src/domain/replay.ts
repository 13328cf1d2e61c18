import { type Candidate, type IncomingTransfer, type Match, matchTransfer } from './match.ts'
import { endOfTime, receiveMoney } from './outcome.ts'
import {
  creditedStatuses,
  lateUntil,
  openStatuses,
  type Payment,
  type PaymentChange,
  requisitesOf,
  slotUntil,
} from './payment.ts'
import type { Instant } from './time.ts'

/** A transfer of the past. */
export type PastTransfer = IncomingTransfer & { readonly id: string; readonly requisiteId: string }

/** That a payment held the slot of its amount on a requisite from some time on. */
export type PastHolder = {
  readonly requisiteId: string
  readonly paymentId: string
  readonly takenAt: Instant
  readonly payerIndex: string | null
}

/** What the rules alone make of past transfers: the payments, and for each transfer what it is taken for. */
export type Replayed = {
  readonly payments: ReadonlyMap<string, Payment>
  readonly decisions: ReadonlyMap<string, { readonly outcome: Match['outcome']; readonly paymentId: string | null }>
}

const fresh = (payment: Payment): Payment => ({
  ...payment,
  status: 'new',
  statusReason: 'created',
  received: 0n,
  finalAmount: null,
  claimedAt: null,
  receiptAt: null,
})

const step = (payment: Payment, change: PaymentChange, at: Instant): Payment => ({
  ...payment,
  status: change.to,
  statusReason: change.reason,
  received: change.received ?? payment.received,
  finalAmount: change.finalAmount ?? null,
  changedAt: at,
})

/** What people and the clock have made of a payment by some time; `actual` tells when its payer and merchant acted. */
const advance = (payment: Payment, actual: Payment, now: Instant): Payment => {
  if (!openStatuses.has(payment.status)) return payment
  let after = payment
  const { status, statusReason, changedAt, claimedAt, receiptAt } = actual
  if (after.status === 'new' && claimedAt !== null && claimedAt <= now) {
    after = { ...after, status: 'processing', statusReason: 'claimed', claimedAt }
  }
  if (receiptAt !== null && receiptAt <= now) after = { ...after, receiptAt }
  const isEnded = (status === 'canceled' || status === 'failed') && changedAt <= now && after.received === 0n
  if (isEnded) return { ...after, status, statusReason, changedAt }
  const change = endOfTime(after, now)
  return change ? step(after, change, now) : after
}

/** A payment may have held slots on several requisites of one account, or been prolonged; the longest hold counts. */
const onceEach = (candidates: readonly Candidate[]): Candidate[] => {
  const longest = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const known = longest.get(candidate.payment.id)
    if (!known || known.heldUntil < candidate.heldUntil) longest.set(candidate.payment.id, candidate)
  }
  return [...longest.values()]
}

/**
 * Plays past transfers once more, in the order in which the bank booked them, with the terms that the payments have here;
 * `sharing` are all requisites of the account of a requisite, where others share it: their payments may be meant as well.
 * What operators decided is left out, and so is which payments would have found another requisite.
 */
export const replay = (
  transfers: readonly PastTransfer[],
  holders: readonly PastHolder[],
  actual: ReadonlyMap<string, Payment>,
  sharing: ReadonlyMap<string, readonly string[]>,
  until: Instant,
): Replayed => {
  const payments = new Map([...actual].map(([id, payment]) => [id, fresh(payment)]))
  const decisions = new Map<string, { outcome: Match['outcome']; paymentId: string | null }>()
  const current = (id: string, at: Instant): Payment | undefined => {
    const [payment, was] = [payments.get(id), actual.get(id)]
    if (!payment || !was) return undefined
    const after = advance(payment, was, at)
    payments.set(id, after)
    return after
  }
  const slotOf = ({ requisiteId, paymentId }: PastHolder): string => `${requisiteId} ${actual.get(paymentId)?.amount}`
  const nextTaken = new Map<PastHolder, Instant>()
  for (const same of Map.groupBy(holders, slotOf).values()) {
    const inOrder = same.toSorted((a, b) => a.takenAt - b.takenAt)
    inOrder.forEach((holder, index) => nextTaken.set(holder, inOrder[index + 1]?.takenAt ?? Infinity))
  }
  const byRequisite = Map.groupBy(holders, (holder) => holder.requisiteId)
  const candidateOf = (holder: PastHolder, at: Instant): Candidate[] => {
    const payment = current(holder.paymentId, at)
    // Those that have left a requisite no longer wait on it.
    if (!payment || !requisitesOf(payment).includes(holder.requisiteId)) return []
    const isCredited = creditedStatuses.has(payment.status)
    const held = (isCredited ? slotUntil(payment, payment.changedAt) : null) ?? lateUntil(payment)
    const heldUntil = Math.min(held, nextTaken.get(holder) ?? held)
    return [{ payment, takenAt: holder.takenAt, heldUntil, payerIndex: holder.payerIndex }]
  }
  const candidatesOf = ({ requisiteId, bookedAt }: PastTransfer): Candidate[] => {
    const places = sharing.get(requisiteId) ?? [requisiteId]
    const here = places.flatMap((place) => byRequisite.get(place) ?? [])
    return onceEach(here.flatMap((holder) => candidateOf(holder, bookedAt)))
  }

  for (const transfer of transfers.toSorted((a, b) => a.bookedAt - b.bookedAt || (a.id < b.id ? -1 : 1))) {
    const match = matchTransfer(transfer, candidatesOf(transfer))
    if (!('candidate' in match)) {
      decisions.set(transfer.id, { outcome: match.outcome, paymentId: null })
      continue
    }
    const { payment } = match.candidate
    decisions.set(transfer.id, { outcome: match.outcome, paymentId: payment.id })
    if (creditedStatuses.has(payment.status)) continue
    const outcome = receiveMoney(payment, transfer)
    const after = 'to' in outcome ? step(payment, outcome, transfer.bookedAt) : { ...payment, received: outcome.wait }
    payments.set(payment.id, after)
  }
  for (const id of payments.keys()) current(id, until)
  return { payments, decisions }
}

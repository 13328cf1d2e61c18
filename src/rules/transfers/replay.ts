import { type Candidate, type IncomingTransfer, longestHolds, replacesPart } from './candidate.ts'
import { matchTransfer } from './match.ts'
import { endOfTime, receiveMoney } from './outcome.ts'
import {
  creditedStatuses,
  lateUntil,
  openStatuses,
  type Payment,
  type PaymentChange,
  requisitesOf,
  slotUntil,
} from '../payments/payment.ts'
import type { Instant } from '../time.ts'

export type PastTransfer = IncomingTransfer & { readonly id: string; readonly requisiteId: string }

/** A payment that held the slot of its amount on a requisite, from `takenAt` on. */
export type PastHolder = {
  readonly requisiteId: string
  readonly paymentId: string
  readonly takenAt: Instant
  readonly payerIndex: string | null
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

/** The payment after the acts of people, as in `actual`, and the clock until `now`. */
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

export type Past = {
  readonly transfers: readonly PastTransfer[]
  readonly holders: readonly PastHolder[]
  /** The payments as they really were, with the terms to replay them with. */
  readonly payments: ReadonlyMap<string, Payment>
  /** All requisites that share the account of a requisite: money may be for their payments, too. */
  readonly sharing: ReadonlyMap<string, readonly string[]>
}

class Replay {
  readonly payments: Map<string, Payment>
  private readonly past: Past
  private readonly holders: ReadonlyMap<string, readonly PastHolder[]>
  /** When the next holder took the slot of a holder. */
  private readonly nextTaken = new Map<PastHolder, Instant>()

  constructor(past: Past) {
    this.past = past
    this.payments = new Map([...past.payments].map(([id, payment]) => [id, fresh(payment)]))
    this.holders = Map.groupBy(past.holders, (holder) => holder.requisiteId)
    const slotOf = ({ requisiteId, paymentId }: PastHolder): string =>
      `${requisiteId} ${past.payments.get(paymentId)?.amount}`
    for (const same of Map.groupBy(past.holders, slotOf).values()) {
      const inOrder = same.toSorted((a, b) => a.takenAt - b.takenAt)
      inOrder.forEach((holder, index) => this.nextTaken.set(holder, inOrder[index + 1]?.takenAt ?? Infinity))
    }
  }

  advance(id: string, at: Instant): Payment | undefined {
    const [payment, actual] = [this.payments.get(id), this.past.payments.get(id)]
    if (!payment || !actual) return undefined
    const after = advance(payment, actual, at)
    this.payments.set(id, after)
    return after
  }

  receive(transfer: PastTransfer): void {
    const match = matchTransfer(transfer, this.candidatesOf(transfer))
    if (!('candidate' in match) || creditedStatuses.has(match.candidate.payment.status)) return
    const { payment: before } = match.candidate
    const payment = replacesPart(transfer, before) ? { ...before, received: 0n } : before
    const outcome = receiveMoney(payment, transfer)
    const after = 'to' in outcome ? step(payment, outcome, transfer.bookedAt) : { ...payment, received: outcome.wait }
    this.payments.set(payment.id, after)
  }

  private candidatesOf({ requisiteId, bookedAt }: PastTransfer): Candidate[] {
    const requisiteIds = this.past.sharing.get(requisiteId) ?? [requisiteId]
    const holders = requisiteIds.flatMap((id) => this.holders.get(id) ?? [])
    return longestHolds(holders.flatMap((holder) => this.candidateOf(holder, bookedAt)))
  }

  private candidateOf(holder: PastHolder, at: Instant): Candidate[] {
    const payment = this.advance(holder.paymentId, at)
    // A payment that has moved to another requisite no longer waits on this one.
    if (!payment || !requisitesOf(payment).includes(holder.requisiteId)) return []
    const isCredited = creditedStatuses.has(payment.status)
    const held = (isCredited ? slotUntil(payment, payment.changedAt) : null) ?? lateUntil(payment)
    const heldUntil = Math.min(held, this.nextTaken.get(holder) ?? held)
    return [{ payment, takenAt: holder.takenAt, heldUntil, payerIndex: holder.payerIndex }]
  }
}

/**
 * Replays past transfers in the order in which the bank booked them, and returns the payments as the rules alone leave
 * them at `until`. Ignores decisions of operators, and which other requisite a payment would have found.
 */
export const replay = (past: Past, until: Instant): ReadonlyMap<string, Payment> => {
  const played = new Replay(past)
  const inOrder = past.transfers.toSorted((a, b) => a.bookedAt - b.bookedAt || (a.id < b.id ? -1 : 1))
  for (const transfer of inOrder) played.receive(transfer)
  for (const id of played.payments.keys()) played.advance(id, until)
  return played.payments
}

import type { Tx } from '../context.ts'
import { type ArrivingMoney, postOverpayment, postReceipt, reversePostings } from '../domain/ledger.ts'
import { receiveMoney } from '../domain/outcome.ts'
import { creditedStatuses, type Payment } from '../domain/payment.ts'
import type { Instant } from '../domain/time.ts'
import { type PaymentChanges, startChanges } from './start-changes.ts'

/** Settling of payments with money as it arrives, in one transaction that has locked them. */
export type Settlement = {
  /** The payment as the money so far has left it. */
  current(payment: Payment): Payment
  /** Gives money to a payment; `sourcePan` is the sender's masked number where the bank told it. */
  receive(payment: Payment, arriving: ArrivingMoney, bookedAt: Instant, sourcePan: string): void
  /** Puts money that no payment claims into suspense. */
  suspend(currency: string, arriving: ArrivingMoney): void
  /** Takes money out of suspense again that no payment had claimed. */
  release(currency: string, arriving: ArrivingMoney): void
  /** Takes money from a payment that waits with it; it must be suspended or given to another. */
  giveBack(payment: Payment, arriving: ArrivingMoney): void
  write(): Promise<void>
}

/** Starts settling, as part of other changes where there are any; nothing is written before `write`. */
export const settlePayments = (tx: Tx, changes: PaymentChanges = startChanges(tx, 'bank')): Settlement => ({
  current: (payment) => changes.current(payment),
  receive: (payment, arriving, bookedAt, sourcePan) => {
    const before = changes.current(payment)
    if (creditedStatuses.has(before.status)) {
      changes.post([postOverpayment(before.merchantId, before.id, before.currency, arriving)])
      return
    }
    if (sourcePan !== '' && before.sourcePan === '') changes.amend(payment, { sourcePan })
    if (before.status === 'disput') {
      // What becomes of it is what the dispute is about.
      changes.post([postReceipt(before, before.currency, arriving)])
      changes.amend(payment, { received: before.received + arriving.amount })
      return
    }
    const outcome = receiveMoney(before, { amount: arriving.amount, bookedAt })
    const credited = 'to' in outcome && creditedStatuses.has(outcome.to)
    if (!credited) changes.post([postReceipt(before, before.currency, arriving)])
    if ('wait' in outcome) changes.amend(payment, { received: outcome.wait })
    else changes.change(payment, outcome, credited ? arriving : undefined)
  },
  suspend: (currency, arriving) => changes.post([postReceipt(null, currency, arriving)]),
  release: (currency, arriving) => changes.post(reversePostings([postReceipt(null, currency, arriving)])),
  giveBack: (payment, arriving) => {
    const before = changes.current(payment)
    changes.post(reversePostings([postReceipt(before, before.currency, arriving)]))
    changes.amend(payment, { received: before.received - arriving.amount })
  },
  write: () => changes.write(),
})

import type { Tx } from '../context.ts'
import { type ArrivingMoney, postOverpayment, postReceipt } from '../domain/ledger.ts'
import { receiveMoney } from '../domain/outcome.ts'
import { creditedStatuses, type Payment } from '../domain/payment.ts'
import type { Instant } from '../domain/time.ts'
import { startChanges } from './start-changes.ts'

/** Settling of payments with money as it arrives, in one transaction that has locked them. */
export type Settlement = {
  /** The payment as the money so far has left it. */
  current(payment: Payment): Payment
  /** Gives money to a payment; `sourcePan` is the sender's masked number where the bank told it. */
  receive(payment: Payment, arriving: ArrivingMoney, bookedAt: Instant, sourcePan: string): void
  /** Puts money that no payment claims into suspense. */
  suspend(currency: string, arriving: ArrivingMoney): void
  write(): Promise<void>
}

/** Starts settling; nothing is written before `write`. */
export const settlePayments = (tx: Tx): Settlement => {
  const changes = startChanges(tx, 'bank')
  return {
    current: (payment) => changes.current(payment),
    receive: (payment, arriving, bookedAt, sourcePan) => {
      const before = changes.current(payment)
      if (creditedStatuses.has(before.status)) {
        changes.post([postOverpayment(before.merchantId, before.id, before.currency, arriving)])
        return
      }
      if (sourcePan !== '' && before.sourcePan === '') changes.amend(payment, { sourcePan })
      const outcome = receiveMoney(before, { amount: arriving.amount, bookedAt })
      const credited = 'to' in outcome && creditedStatuses.has(outcome.to)
      if (!credited) changes.post([postReceipt(before, before.currency, arriving)])
      if ('wait' in outcome) changes.amend(payment, { received: outcome.wait })
      else changes.change(payment, outcome, credited ? arriving : undefined)
    },
    suspend: (currency, arriving) => changes.post([postReceipt(null, currency, arriving)]),
    write: () => changes.write(),
  }
}

import type { Tx } from '../context.ts'
import { type BookedTime, mayBeBookedBy } from '../../rules/values/booked-time.ts'
import { type CreditPrice, priceCredit } from '../../rules/payments/credit.ts'
import {
  type ArrivingMoney,
  postCover,
  postOverpayment,
  postReceipt,
  reversePostings,
} from '../../rules/money/ledger.ts'
import { receiveMoney } from '../../rules/payments/receive-money.ts'
import { acceptUntil, creditedStatuses, type Payment, splitReceived } from '../../rules/payments/payment.ts'
import { readPrice } from '../merchants/rates/rate.ts'
import { type PaymentChanges, startChanges } from './start-changes.ts'

/** What a transaction does with money that arrives for payments it has locked. */
export type Credits = {
  /** The payment after the money so far. */
  current(payment: Payment): Payment
  /** Gives money to a payment; `sourcePan` is the sender's masked number, `''` if the bank does not report it. */
  receive(payment: Payment, arriving: ArrivingMoney, booked: BookedTime, sourcePan: string): Promise<void>
  /** Puts money that belongs to no payment into suspense. */
  suspend(currency: string, arriving: ArrivingMoney): void
  /** Takes money out of suspense again. */
  release(currency: string, arriving: ArrivingMoney): void
  /** Takes money back from a payment that is not credited; the caller suspends it or gives it to another payment. */
  takeBack(payment: Payment, arriving: ArrivingMoney): void
  /** Owes money back to the payer of a payment that is not credited. */
  owe(payment: Payment, arriving: ArrivingMoney): void
  write(): Promise<void>
}

const takeBack = (changes: PaymentChanges, payment: Payment, arriving: ArrivingMoney): void => {
  const before = changes.current(payment)
  changes.post(reversePostings([postReceipt(before, before.currency, arriving)]))
  changes.amend(payment, { received: before.received - arriving.amount })
}

/** Prices a credit as `priceCredit`, by the rate of now. */
export const priceNow = async (tx: Tx, payment: Payment, credited: bigint, inTime: bigint): Promise<CreditPrice> => {
  const isExact = credited <= payment.amount && credited <= inTime
  return priceCredit(payment, { credited, inTime }, isExact ? 0n : await readPrice(tx, payment))
}

/** Starts crediting payments, as part of `changes` if given; nothing is written before `write`. */
export const creditPayments = (tx: Tx, changes: PaymentChanges = startChanges(tx, 'bank')): Credits => ({
  current: (payment) => changes.current(payment),
  receive: async (payment, arriving, booked, sourcePan) => {
    const before = changes.current(payment)
    if (creditedStatuses.has(before.status)) {
      const { merchantId, id, currency } = before
      for (const { kind, amount } of splitReceived(before, arriving.amount)) {
        const money = { ...arriving, amount }
        if (kind === 'overpayment') changes.post([postOverpayment(merchantId, id, currency, money)])
        else {
          changes.post([postCover(before, money)])
          changes.amend(payment, { received: before.received + amount })
        }
      }
      return
    }
    if (sourcePan !== '' && before.sourcePan === '') changes.amend(payment, { sourcePan })
    if (before.status === 'disput') {
      // The dispute decides on it.
      changes.post([postReceipt(before, before.currency, arriving)])
      changes.amend(payment, { received: before.received + arriving.amount })
      return
    }
    const outcome = receiveMoney(before, { ...booked, amount: arriving.amount })
    const credited = 'to' in outcome && creditedStatuses.has(outcome.to)
    if (!credited) changes.post([postReceipt(before, before.currency, arriving)])
    if ('wait' in outcome) changes.amend(payment, { received: outcome.wait })
    else if (!credited) changes.change(payment, outcome)
    else {
      const inTime = before.received + (mayBeBookedBy(booked, acceptUntil(before)) ? arriving.amount : 0n)
      const price = await priceNow(tx, before, before.received + arriving.amount, inTime)
      changes.change(payment, { ...outcome, ...price }, arriving)
    }
  },
  suspend: (currency, arriving) => changes.post([postReceipt(null, currency, arriving)]),
  release: (currency, arriving) => changes.post(reversePostings([postReceipt(null, currency, arriving)])),
  takeBack: (payment, arriving) => takeBack(changes, payment, arriving),
  owe: (payment, arriving) => {
    takeBack(changes, payment, arriving)
    const { merchantId, id, currency } = payment
    changes.post([postOverpayment(merchantId, id, currency, arriving)])
  },
  write: () => changes.write(),
})

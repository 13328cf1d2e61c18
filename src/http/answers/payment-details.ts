import { quoteCurrency } from '../../rules/values/currency.ts'
import { maskIfKnown } from '../../rules/values/masking.ts'
import type { Payment } from '../../rules/payments/payment.ts'

/** A payment with its details; a response keeps those that it declares. */
export const toPaymentDetails = (payment: Payment) => ({
  ...payment,
  sourcePan: maskIfKnown(payment.sourcePan),
  receivedAmount: payment.received,
  rate: { price: payment.ratePrice, createdAt: payment.rateCreatedAt, laterPrice: payment.laterPrice },
  total: { currency: quoteCurrency, amount: payment.total },
})

import { quoteCode } from '../../rules/values/currency.ts'
import type { Payment } from '../../rules/payments/payment.ts'

/** A payment with its details; a response keeps those that it declares. */
export const toPaymentDetails = (payment: Payment) => ({
  ...payment,
  receivedAmount: payment.received,
  rate: { price: payment.ratePrice, createdAt: payment.rateCreatedAt, laterPrice: payment.laterPrice },
  total: { currency: quoteCode(payment.quoteCurrency), amount: payment.total },
})

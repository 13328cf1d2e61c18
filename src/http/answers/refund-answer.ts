import type { StoredRefund } from '../../engine/transfers/refunds/follow-money.ts'

/** A refund as the API answers with it: what it takes of the balance, and of the fee, by their currency. */
export const toRefundAnswer = <Each extends StoredRefund>({
  net,
  fee: feeReturned,
  payToMasked: payTo,
  quoteCurrency: currency,
  ...refund
}: Each) => ({ ...refund, payTo, balanceChange: { currency, amount: -net, feeReturned } })

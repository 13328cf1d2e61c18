import type { Tx } from '../../context.ts'
import { postCreditReversal } from '../../../rules/payments/credit.ts'
import { account, type Posting, posting } from '../../../rules/money/ledger.ts'
import type { Payment } from '../../../rules/payments/payment.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { lockOwed, sumReversed } from '../../ledger/read.ts'
import { enqueueReversal } from '../../notifications/enqueue-notifications.ts'
import { getTakenBack } from '../read.ts'
import { limitReturnedFees } from '../refunds/follow-money.ts'

const lostBy = (postings: readonly Posting[], name: string): bigint =>
  postings.reduce((sum, { debit, credit, amount }) => {
    if (debit === name) return sum + amount
    return credit === name ? sum - amount : sum
  }, 0n)

/** Reverses the credit of money that `returned` takes from the exchange, and notifies the merchant. */
export const reverseCredit = async (tx: Tx, payment: Payment, returned: Posting): Promise<readonly Posting[]> => {
  const { merchantId } = payment
  const credited = (payment.finalAmount ?? payment.received) - (await sumReversed(tx, merchantId, payment.id))
  const postings = postCreditReversal(payment, credited, returned)
  await postEntries(tx, [postings])
  await limitReturnedFees(tx, payment)
  enqueueReversal(tx, payment, returned.amount, lostBy(postings, account.available(merchantId)))
  return postings
}

/**
 * Takes from the credit of a locked payment what its banks took back of the money while it was in dispute, and what
 * still lies on `account.reversed`. Returns the postings.
 */
export const reverseDisputed = async (tx: Tx, payment: Payment): Promise<readonly Posting[]> => {
  const { merchantId, id: paymentId, currency } = payment
  const from = account.reversed(paymentId)
  // An adjustment may have cleared the account, which also holds what was lost of an overpayment.
  const missing = -(await lockOwed(tx, merchantId, from, currency))
  if (missing <= 0n) return []
  const uncounted = (await getTakenBack(tx, payment)) - (await sumReversed(tx, merchantId, paymentId))
  const amount = uncounted < missing ? uncounted : missing
  if (amount <= 0n) return []
  const accounts = [account.exchange(currency), from] as const
  return reverseCredit(tx, payment, posting('return', accounts, { currency, amount }, { merchantId, paymentId }))
}

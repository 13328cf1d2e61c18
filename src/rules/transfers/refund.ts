import { splitCredit } from '../merchants/fee.ts'
import { account, type Posting, posting } from '../money/ledger.ts'
import { type CreditBasis, worthOf } from '../payments/credit.ts'
import { creditedStatuses, type Payment } from '../payments/payment.ts'
import { invalidState, Refusal } from '../refusal.ts'
import type { Instant } from '../time.ts'
import { showAmount } from '../values/currency.ts'

/** Statuses of a refund that a merchant asks for (docs/domain.md §8.7). */
export const refundStatuses = ['requested', 'approved', 'sent', 'done', 'refused', 'canceled', 'failed'] as const
export type RefundStatus = (typeof refundStatuses)[number]

/** What a merchant gives back to the payer of a payment; amounts are minor units. */
export type Refund = {
  readonly merchantId: string
  readonly id: string
  readonly paymentId: string
  readonly orderId: string
  /** The merchant's own name of it: the same reference is the same refund. */
  readonly reference: string
  readonly currency: string
  readonly amount: bigint
  readonly quoteCurrency: string
  /** What the merchant's balance and the fees of the service pay for it, in the quote currency. */
  readonly net: bigint
  readonly fee: bigint
  readonly reason: string | null
  readonly status: RefundStatus
  readonly sequence: number
  readonly requestedBy: string
  readonly approvedBy: string | null
  /** The decision by which its money left an account, while it is `sent` or `done`. */
  readonly decisionId: string | null
  /** Why it was refused or failed. */
  readonly failure: string | null
  readonly createdAt: Instant
  readonly changedAt: Instant
}

type Transition = { readonly from: readonly RefundStatus[]; readonly to: RefundStatus }

/**
 * The only allowed changes of a refund; what ends it without reaching the payer gives the merchant its share back.
 * `prove`, `unprove` and `unsend` follow from what is booked as its outgoing money.
 */
export const refundTransitions = {
  approve: { from: ['requested'], to: 'approved' },
  refuse: { from: ['requested'], to: 'refused' },
  cancel: { from: ['requested', 'approved'], to: 'canceled' },
  send: { from: ['approved'], to: 'sent' },
  prove: { from: ['sent'], to: 'done' },
  unprove: { from: ['done'], to: 'sent' },
  unsend: { from: ['sent', 'done'], to: 'approved' },
  fail: { from: ['approved', 'sent', 'done'], to: 'failed' },
} as const satisfies Readonly<Record<string, Transition>>
export type RefundStep = keyof typeof refundTransitions

/** Statuses in which the merchant has paid for a refund. */
export const paidForStatuses: readonly RefundStatus[] = ['requested', 'approved', 'sent', 'done']

/** Whether a refund has ended without reaching the payer. */
export const isGivenUp = (status: RefundStatus): boolean => !paidForStatuses.includes(status)

/** A refund after a step; refuses `invalid_state`. */
export const takeRefundStep = <Each extends Refund>(refund: Each, step: RefundStep, now: Instant): Each | Refusal => {
  const { from, to }: Transition = refundTransitions[step]
  if (!from.includes(refund.status))
    return invalidState(`The refund is ${refund.status}; it is too late, or too early, to ${step} it.`)
  return { ...refund, status: to, sequence: refund.sequence + 1, changedAt: Math.max(now, refund.changedAt) }
}

/** What earlier refunds of a payment, other than those given up, have taken. */
export type RefundedSoFar = Pick<Refund, 'amount' | 'net' | 'fee'>

/**
 * What a refund of an amount takes, which is at most what is left of a credited payment: in proportion, of what the
 * credit was worth and earlier refunds have left. Rounded up, and the fee down, so that refunds of the whole take
 * exactly the whole. If the fee is kept, the merchant pays its part, too.
 */
export const shareOfRefund = (
  payment: Pick<Payment, 'received' | 'finalAmount' | 'terms'> & CreditBasis,
  amount: bigint,
  { reversed, refunded }: { readonly reversed: bigint; readonly refunded: RefundedSoFar },
): Pick<Refund, 'net' | 'fee'> => {
  const credited = (payment.finalAmount ?? payment.received) - reversed
  const gross = worthOf(payment, credited)
  const { fee } = splitCredit(gross, payment.terms, payment.quoteCurrency)
  const left = credited - refunded.amount
  const share = ((gross - refunded.net - refunded.fee) * amount + left - 1n) / left
  const feeLeft = payment.terms.refundFee === 'returned' && fee > refunded.fee ? fee - refunded.fee : 0n
  const part = (feeLeft * amount) / left
  const returned = part < share ? part : share
  return { net: share - returned, fee: returned }
}

/**
 * How much of a payment may still be refunded: what its banks brought for it and it was credited with, less what they
 * took back and what other refunds take. Refuses `invalid_state` unless the payment is credited.
 */
export const refundable = (
  { status, received, finalAmount }: Pick<Payment, 'status' | 'received' | 'finalAmount'>,
  { reversed, refunded }: { readonly reversed: bigint; readonly refunded: Pick<Refund, 'amount'> },
): bigint | Refusal => {
  if (!creditedStatuses.has(status))
    return invalidState(`The payment is ${status}: only a paid payment can be refunded.`)
  const credited = finalAmount !== null && finalAmount < received ? finalAmount : received
  const left = credited - reversed - refunded.amount
  return left > 0n ? left : 0n
}

/**
 * Refuses `balance_insufficient` if a refund takes more than a payment has left, or its merchant's balance covers without
 * what waits there for disputes and proofs of other payments.
 */
export const refuseRefund = (
  wanted: Pick<Refund, 'amount' | 'currency' | 'net' | 'quoteCurrency'>,
  {
    left,
    available,
    waiting,
    debt,
  }: { readonly left: bigint; readonly available: bigint; readonly waiting: bigint; readonly debt: bigint },
): Refusal | undefined => {
  if (wanted.amount > left || left <= 0n)
    return new Refusal('balance_insufficient', `At most ${showAmount(left, wanted.currency)} can still be refunded.`)
  if (wanted.net <= available - waiting + debt) return undefined
  const net = showAmount(wanted.net, wanted.quoteCurrency)
  if (wanted.net <= available + debt)
    return new Refusal(
      'balance_insufficient',
      `The refund takes ${net} of the balance, and ${showAmount(waiting, wanted.quoteCurrency)} of it wait: a dispute about other payments is open, or no bank has proven their money.`,
    )
  return new Refusal(
    'balance_insufficient',
    `The refund takes ${net} of the balance, and ${showAmount(available, wanted.quoteCurrency)} are available.`,
  )
}

type Moved = Pick<Refund, 'merchantId' | 'id' | 'paymentId' | 'currency' | 'amount' | 'quoteCurrency' | 'net' | 'fee'>

/** The merchant pays for a refund: its money waits, through the exchange, for the payer. */
export const postRefundHeld = (refund: Moved): Posting[] => {
  const { merchantId, id: documentId, paymentId, currency, amount, quoteCurrency, net, fee } = refund
  const of = { merchantId, paymentId, documentId }
  const isExchanged = currency !== quoteCurrency
  const to = isExchanged ? account.exchange(currency) : account.refund(paymentId)
  const quote = (from: string, share: bigint): Posting =>
    posting('refund', [from, to], { currency: quoteCurrency, amount: share }, of)
  const money = posting('refund', [account.exchange(currency), account.refund(paymentId)], { currency, amount }, of)
  return [...(isExchanged ? [money] : []), quote(account.available(merchantId), net), quote(account.fees, fee)].filter(
    (each) => each.amount > 0n,
  )
}

/** The merchant gets its share of a refund back. */
export const postRefundReleased = (refund: Moved): Posting[] =>
  postRefundHeld(refund).map((each) => ({ ...each, debit: each.credit, credit: each.debit }))

/** The money of a refund becomes owed to its payer, from where a decision sends it; or is taken back from there. */
export const postRefundOwed = (refund: Moved, isTakenBack = false): Posting => {
  const { merchantId, id: documentId, paymentId, currency, amount } = refund
  const accounts = [account.refund(paymentId), account.overpayment(paymentId)] as const
  const [debit, credit] = isTakenBack ? [accounts[1], accounts[0]] : accounts
  return posting('refund', [debit, credit], { currency, amount }, { merchantId, paymentId, documentId })
}

/**
 * After a bank took money of a payment back, refunds return at most the fee that its credit has left: the postings and
 * new shares of those that returned more, the latest first.
 */
export const takeFeesBack = <Each extends Refund>(
  refunds: readonly Each[],
  feeLeft: bigint,
): { readonly refund: Each; readonly posting: Posting }[] => {
  let excess = refunds.reduce((sum, { fee }) => sum + fee, 0n) - feeLeft
  return refunds.flatMap((refund) => {
    const amount = excess < refund.fee ? excess : refund.fee
    if (amount <= 0n) return []
    excess -= amount
    const { merchantId, id: documentId, paymentId, quoteCurrency: currency } = refund
    const accounts = [account.available(merchantId), account.fees] as const
    return [
      {
        refund: { ...refund, net: refund.net + amount, fee: refund.fee - amount },
        posting: posting('refund', accounts, { currency, amount }, { merchantId, paymentId, documentId }),
      },
    ]
  })
}

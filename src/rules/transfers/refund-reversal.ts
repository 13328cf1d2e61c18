import type { IncomingTransfer } from './candidate.ts'
import { amountDigits } from '../values/currency.ts'
import type { Judgement } from './evidence.ts'
import { maskPayer } from '../values/masking.ts'
import { compareNames } from '../values/payer-name.ts'
import type { Suggestion } from './suggest.ts'
import { instantOfId } from '../values/id-text.ts'

export type SentRefund = {
  readonly id: string
  readonly merchantId: string
  readonly paymentId: string
  readonly decisionId: string
  readonly orderId: string
  readonly bankReference: string | null
  readonly referenceKind: string | null
  readonly payeeIndex: string | null
}

type GivenBack = Pick<SentRefund, 'bankReference' | 'referenceKind' | 'payeeIndex'>

const hasReferenceOf = (money: GivenBack, sent: SentRefund): boolean =>
  money.bankReference !== null &&
  money.bankReference === sent.bankReference &&
  (money.referenceKind ?? sent.referenceKind) === (sent.referenceKind ?? money.referenceKind)

/** Which refunds money given back may have been: by reference (`certain` if only one), else by payee. */
export const findReversedRefunds = (
  money: GivenBack,
  sent: readonly SentRefund[],
): { readonly certain: SentRefund | undefined; readonly possible: readonly (SentRefund & { reason: string })[] } => {
  const exact = sent.filter((each) => hasReferenceOf(money, each))
  if (exact.length > 0) {
    const reason = 'the refund has the reference of the bank'
    return { certain: exact.length === 1 ? exact[0] : undefined, possible: exact.map((each) => ({ ...each, reason })) }
  }
  const toPayee = sent.filter(({ payeeIndex }) => payeeIndex !== null && payeeIndex === money.payeeIndex)
  return { certain: undefined, possible: toPayee.map((each) => ({ ...each, reason: 'the refund went to its payee' })) }
}

const saysReturn = /(?:^|[^\p{L}])(?:возврат|возвращ|вернул|return|refund|reject|unpaid)/iu

/**
 * Suggests the payment of an earlier refund for money of its amount that came as a plain credit, if the sender is the
 * refund's payee or the text mentions a return; once assigned to the payment, it is owed to its payer again.
 * `undefined` if only the amount fits.
 */
export const suggestRefund = (
  transfer: IncomingTransfer,
  refund: Pick<SentRefund, 'merchantId' | 'paymentId' | 'orderId' | 'payeeIndex'> & {
    readonly payeeName: string | null
  },
): Suggestion | undefined => {
  const { senderIndex, senderName, text } = transfer
  const { merchantId, paymentId, orderId, payeeIndex, payeeName } = refund
  const isPayee = senderIndex !== null && senderIndex === payeeIndex
  const isNamed = senderName && payeeName ? compareNames(senderName, payeeName) !== 'different' : false
  const isReturn = saysReturn.test(text ?? '')
  if (!isPayee && !isNamed && !isReturn) return undefined
  const supports = (why: string): Judgement => ({ verdict: 'supports', why })
  const unknown: Judgement = { verdict: 'unknown', why: 'nothing to compare' }
  return {
    ...{ merchantId, paymentId, orderId, createdAt: instantOfId(paymentId) },
    amount: amountDigits(transfer.amount, transfer.currency),
    difference: amountDigits(0n, transfer.currency),
    payer: payeeName === null ? null : maskPayer(payeeName),
    evidence: {
      amount: supports('a refund of this amount to its payer may have come back: then the payer is owed it again'),
      number: isPayee ? supports('it came from the number that was paid') : unknown,
      name: isNamed ? supports('it came from the name that was paid') : unknown,
      order: isReturn ? supports('its text mentions a return') : unknown,
      bank: unknown,
      time: unknown,
    },
  }
}

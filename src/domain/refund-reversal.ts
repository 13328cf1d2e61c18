/** An outgoing transfer that carried a refund out. */
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

/** What a bank says about money that it gave back. */
type GivenBack = Pick<SentRefund, 'bankReference' | 'referenceKind' | 'payeeIndex'>

const hasReferenceOf = (money: GivenBack, sent: SentRefund): boolean =>
  money.bankReference !== null &&
  money.bankReference === sent.bankReference &&
  (money.referenceKind ?? sent.referenceKind) === (sent.referenceKind ?? money.referenceKind)

/**
 * Which refunds of its amount money that a bank gave back may have been: those with its reference, else those to its payee.
 * The only one with its reference is `certain`.
 */
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

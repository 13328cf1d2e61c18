import type { OutgoingMoney } from './outgoing.ts'
import type { Instant } from '../time.ts'

export type OutgoingCandidate = {
  readonly purpose: 'refund' | 'reversal'
  readonly merchantId: string | null
  readonly paymentId: string | null
  readonly orderId: string | null
  readonly transferId: string | null
  /** The decision or reversal that was recorded before. */
  readonly documentId: string | null
  readonly isPayee: boolean
  readonly isNamedPayee: boolean
  readonly bankReference: string | null
}

export type OutgoingProposal = Omit<OutgoingCandidate, 'isPayee' | 'isNamedPayee' | 'bankReference' | 'purpose'> & {
  readonly purpose: OutgoingCandidate['purpose'] | 'refund-reversal'
  readonly reasons: readonly string[]
}

export type UnexplainedOutgoing = OutgoingMoney & {
  readonly bookedAt: Instant
  readonly payeeIndex: string | null
  readonly number: string | null
  readonly name: string | null
  readonly text: string | null
}

/** Whether a text contains a name as a separate word; shorter names may be anything. */
export const isNamedIn = (text: string | null): ((name: string | null) => boolean) => {
  const words = new Set((text ?? '').toLowerCase().split(/[^\p{L}\p{N}_-]+/u))
  return (name) => name !== null && name.length >= 3 && words.has(name.toLowerCase())
}

const reasonsFor = (candidate: OutgoingCandidate, isNamed: ReturnType<typeof isNamedIn>): string[] => {
  const { documentId, purpose, isPayee, isNamedPayee, orderId, paymentId, bankReference } = candidate
  return [
    ...(documentId === null ? [] : [`a ${purpose} of this amount was recorded`]),
    ...(isPayee ? ['it went to the number of the payer'] : []),
    ...(isNamedPayee ? ['its payee has the name of the payer'] : []),
    ...(isNamed(orderId) || isNamed(paymentId) ? ['its order is named in the text'] : []),
    ...(isNamed(bankReference) ? ['its transfer is named in the text'] : []),
  ]
}

/** What outgoing money seems to have returned, the most reasons first; an equal amount alone is not a reason. */
export const proposeOutgoing = (
  { text }: Pick<UnexplainedOutgoing, 'text'>,
  candidates: readonly OutgoingCandidate[],
): OutgoingProposal[] => {
  const isNamed = isNamedIn(text)
  const proposals = candidates
    .map(({ isPayee, isNamedPayee, bankReference, ...candidate }) => ({
      ...candidate,
      reasons: reasonsFor({ ...candidate, isPayee, isNamedPayee, bankReference }, isNamed),
    }))
    .filter(({ reasons }) => reasons.length > 0)
    .toSorted((one, other) => other.reasons.length - one.reasons.length)
  // A payer who is owed an overpayment gets that back, not what the payment was credited with.
  const owed = new Set(proposals.flatMap(({ purpose, paymentId }) => (purpose === 'refund' ? [paymentId] : [])))
  return proposals.filter(
    ({ purpose, paymentId }) => purpose === 'refund' || paymentId === null || !owed.has(paymentId),
  )
}

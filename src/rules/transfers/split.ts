import { type Candidate, type IncomingTransfer, missingAmount } from './candidate.ts'
import { openStatuses, payableStatuses } from '../payments/payment.ts'

const payersOf = ({ payment, payerIndex }: Candidate): string[] => [
  ...(payment.userIdGiven ? [JSON.stringify([payment.merchantId, 'user', payment.userId])] : []),
  ...(payerIndex === null ? [] : [JSON.stringify([payment.merchantId, 'number', payerIndex])]),
]

const isSplit = ({ amount }: IncomingTransfer, candidates: readonly Candidate[]): boolean =>
  candidates.length > 1 && candidates.reduce((sum, { payment }) => sum + missingAmount(payment), 0n) === amount

/**
 * Payments of one payer who may have sent the money for all of them in one transfer: the open ones, or all that still
 * take money, together need exactly the amount. One set for each payer who fits.
 */
export const findSplits = (transfer: IncomingTransfer, candidates: readonly Candidate[]): Candidate[][] => {
  const byPayer = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    if (!payableStatuses.has(candidate.payment.status)) continue
    for (const key of payersOf(candidate)) byPayer.set(key, [...(byPayer.get(key) ?? []), candidate])
  }
  const splits = [...byPayer.values()].flatMap((own) => {
    const open = own.filter(({ payment }) => openStatuses.has(payment.status))
    const fitting = [open, own].find((each) => isSplit(transfer, each))
    return fitting ? [fitting] : []
  })
  // A payer is identified by its user and by its number.
  return [...new Map(splits.map((split) => [split.map(({ payment }) => payment.id).join(' '), split])).values()]
}

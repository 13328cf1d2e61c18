import type { ListedTransfer } from '../../../../src/http/operator-api/transfers.ts'
import type { Wanted } from '../../api/transfers.ts'

type Candidate = ListedTransfer['suggestions'][number] & { readonly refused?: string }

type Transfer = Pick<ListedTransfer, 'requisiteId' | 'id'> & { readonly suggestions: readonly Candidate[] }

/**
 * Assigns a transfer to one of its candidates; does nothing if there is no such candidate, or if the service would
 * refuse it. Names the payments, because the service's best candidate may have changed since the person saw it.
 */
export const takeCandidate = (transfer: Transfer | undefined, chosen: number): readonly [Wanted] | undefined => {
  const candidate = transfer?.suggestions[chosen]
  if (transfer === undefined || candidate === undefined || candidate.refused !== undefined) return undefined
  const { merchantId, paymentId, split } = candidate
  const shares = split?.map(({ orderId: _, ...share }) => share) ?? [{ merchantId, paymentId }]
  return [{ requisiteId: transfer.requisiteId, id: transfer.id, decision: 'assign', shares }]
}

/** Points (src/domain/suggest.ts) for nearly the missing amount, and for exactly that of a payment that is paid already. */
const nearly = 27
const paidAgain = 15

/** Whether neither the amount nor anything about the payer speaks for a candidate, so that a person should confirm it. */
export const isWeak = (transfer: Transfer | undefined, chosen: number): boolean => {
  const candidate = transfer?.suggestions[chosen]
  if (candidate === undefined) return false
  const { amount = 0, sender = 0, name = 0, text = 0 } = candidate.parts
  return amount < nearly && amount !== paidAgain && sender + name + text === 0
}

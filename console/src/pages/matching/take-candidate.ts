import type { ListedTransfer } from '../../../../src/http/operator-api/transfers.ts'
import type { Wanted } from '../../api/transfers.ts'

type Candidate = ListedTransfer['suggestions'][number] & { readonly refused?: string }

/**
 * Assigns a transfer to one of its candidates; nothing where it has no such
 * candidate, or the service would refuse it. It names the payments: what is best
 * for the service may have changed since the person saw it.
 */
export const takeCandidate = (
  transfer: (Pick<ListedTransfer, 'requisiteId' | 'id'> & { readonly suggestions: readonly Candidate[] }) | undefined,
  chosen: number,
): readonly [Wanted] | undefined => {
  const candidate = transfer?.suggestions[chosen]
  if (transfer === undefined || candidate === undefined || candidate.refused !== undefined) return undefined
  const { merchantId, paymentId, split } = candidate
  const shares = split?.map(({ orderId: _, ...share }) => share) ?? [{ merchantId, paymentId }]
  return [{ requisiteId: transfer.requisiteId, id: transfer.id, decision: 'assign', shares }]
}

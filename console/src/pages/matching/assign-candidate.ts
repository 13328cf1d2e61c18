import { listContradictions } from '../../../../src/rules/transfers/evidence-words.ts'
import type { ListedTransfer } from '../../../../src/operations/transfers.ts'
import type { Wanted } from '../../api/transfers.ts'

type Candidate = ListedTransfer['suggestions'][number] & { readonly refused?: string; readonly revocable?: boolean }

type Transfer = Pick<ListedTransfer, 'requisiteId' | 'id'> & { readonly suggestions: readonly Candidate[] }

/**
 * Assigns a transfer to one of its candidates; does nothing if there is no such candidate, or if the service would
 * refuse it. Names the payments, because the service's best candidate may have changed since the person saw it.
 */
export const assignCandidate = (transfer: Transfer | undefined, chosen: number): readonly [Wanted] | undefined => {
  const candidate = transfer?.suggestions[chosen]
  if (transfer === undefined || candidate === undefined || candidate.refused !== undefined) return undefined
  const { merchantId, paymentId, split } = candidate
  const shares = split?.map(({ orderId: _, ...share }) => share) ?? [{ merchantId, paymentId }]
  return [{ requisiteId: transfer.requisiteId, id: transfer.id, decision: 'assign', shares }]
}

/** Money this close to what is missing, as a share of it, is taken without a question if that can be undone. */
const nearShare = 0.01

/**
 * Whether a person should confirm a candidate: something contradicts it, or neither the amount nor anything about the
 * payer speaks for it.
 */
export const isWeak = (transfer: Transfer | undefined, chosen: number): boolean => {
  const candidate = transfer?.suggestions[chosen]
  if (candidate === undefined) return false
  const { evidence, difference, amount, revocable } = candidate
  if (listContradictions(evidence).length > 0) return true
  const isNear = Math.abs(difference) <= amount * nearShare
  if (evidence.amount.verdict === 'unknown' && revocable === false) return true
  const { number, name, order } = evidence
  return !isNear && [evidence.amount, number, name, order].every(({ verdict }) => verdict === 'unknown')
}

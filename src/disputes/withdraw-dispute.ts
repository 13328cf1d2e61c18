import type { Tx } from '../context.ts'
import type { Dispute } from '../domain/dispute.ts'
import { Refusal } from '../domain/refusal.ts'
import { closeDispute, type DisputeKey, lockDispute } from './decide-dispute.ts'

/**
 * The merchant takes its own claim back; again and again the same. Refuses `invalid_state` for a dispute of another
 * claimant or one that was decided otherwise.
 */
export const withdrawDispute = async (tx: Tx, key: DisputeKey): Promise<Dispute> => {
  const locked = await lockDispute(tx, key, 'merchant')
  const { dispute } = locked
  if (dispute.claimant !== 'merchant') {
    throw new Refusal('invalid_state', 'Only a dispute that the merchant has opened can be withdrawn.')
  }
  if (dispute.state === 'withdrawn') return dispute
  return (await closeDispute(tx, locked, 'withdrawn', null)).dispute
}

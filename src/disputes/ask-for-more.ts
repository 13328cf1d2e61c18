import type { Tx } from '../context.ts'
import type { Dispute } from '../domain/dispute.ts'
import { Refusal } from '../domain/refusal.ts'
import { lockPayment } from '../payments/lock-payment.ts'
import { readDispute } from './read.ts'
import { insertEvent } from './store.ts'

/**
 * Asks the claimant of an undecided dispute for more: the merchant reads the text in its history. Refuses
 * `resource_not_found`, and `invalid_state` when it is decided.
 */
export const askForMore = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  text: string,
  actor: string,
): Promise<Dispute> => {
  await lockPayment(tx, key.merchantId, (await readDispute(tx, key.merchantId, key.id)).paymentId)
  const dispute = await readDispute(tx, key.merchantId, key.id)
  if (dispute.decidedAt !== null) throw new Refusal('invalid_state', `The dispute is ${dispute.state}.`)
  const { merchantId, id: disputeId } = dispute
  await tx.query(insertEvent, { merchantId, disputeId, kind: 'asked', actor, note: text, at: tx.now })
  return dispute
}

import type { Tx } from '../context.ts'
import { type Dispute, maxEvidence } from '../../rules/payments/dispute.ts'
import type { ReceiptType } from '../../rules/payments/receipt.ts'
import { invalidState, requireRow } from '../../rules/refusal.ts'
import { lockPayment } from '../payments/lock-payment.ts'
import type { Kept, sealFile } from './claims/seal-file.ts'
import { type DisputeKey, readDispute } from './read.ts'
import { findEvidence, insertEvent, insertEvidence, listEvidence } from './store.ts'

type SealedEvidence = Awaited<ReturnType<typeof sealFile>>

/** An undecided dispute, with its payment locked; refuses `resource_not_found`, and `invalid_state` if it is decided. */
const lockUndecided = async (tx: Tx, { merchantId, id }: DisputeKey): Promise<Dispute> => {
  await lockPayment(tx, merchantId, (await readDispute(tx, merchantId, id)).paymentId)
  const dispute = await readDispute(tx, merchantId, id)
  if (dispute.decidedAt !== null) throw invalidState(`The dispute is ${dispute.state}.`)
  return dispute
}

/**
 * Adds a file to an undecided dispute; a known file changes nothing. Refuses `resource_not_found`, and `invalid_state`
 * if the dispute is decided or has ten files.
 */
export const addEvidence = async (tx: Tx, key: DisputeKey, sealed: SealedEvidence, actor: string): Promise<Dispute> => {
  const dispute = await lockUndecided(tx, key)
  const of = { merchantId: dispute.merchantId, disputeId: dispute.id }
  const present = await tx.query(listEvidence, of)
  if (present.some((each) => sealed.contentIndexes.includes(each.contentIndex))) return dispute
  if (present.length >= maxEvidence) {
    throw invalidState(`The dispute already has ${maxEvidence} files, the most allowed.`)
  }
  await tx.query(insertEvidence, { ...of, ...sealed, uploadedBy: actor, receivedAt: tx.now })
  await tx.query(insertEvent, { ...of, kind: 'evidence-added', actor, note: sealed.id, at: tx.now })
  return dispute
}

/** Reads a file of a dispute with the stored form of its content; refuses `resource_not_found`. */
export const getEvidence = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly disputeId: string; readonly id: string },
): Promise<Kept & { readonly id: string; readonly contentType: ReceiptType }> =>
  requireRow(await tx.query(findEvidence, key), 'file')

/**
 * Asks the claimant of an undecided dispute for more: the merchant reads the text in its history. Refuses
 * `resource_not_found`, and `invalid_state` if it is decided.
 */
export const askForMore = async (tx: Tx, key: DisputeKey, text: string, actor: string): Promise<Dispute> => {
  const dispute = await lockUndecided(tx, key)
  const { merchantId, id: disputeId } = dispute
  await tx.query(insertEvent, { merchantId, disputeId, kind: 'asked', actor, note: text, at: tx.now })
  return dispute
}

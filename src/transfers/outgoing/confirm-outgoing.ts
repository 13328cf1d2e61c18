import type { Tx } from '../../context.ts'
import { noticeMs } from '../../domain/outgoing.ts'
import { Refusal } from '../../domain/refusal.ts'
import { listSharing } from '../../requisites/read.ts'
import { lockTransfer, type TransferKey } from '../lock-transfer.ts'
import { recordDecision } from '../overpayments/record-decision.ts'
import { recordReversals } from '../reversals/record-reversals.ts'
import { type Announced, bookToAnnounced } from './book-announced.ts'
import { decidedMeanwhile, lockUnexplained } from './lock-unexplained.ts'
import { bookAsRefundReversal, findRefunds } from './reverse-refunds.ts'
import { findOutgoingRow, listAnnounced, type StoredOutgoing } from './store.ts'

/** What outgoing money returned: an overpayment, a transfer that it took back, or what was recorded before. */
export type ReturnedMoney =
  | { readonly merchantId: string; readonly paymentId: string }
  | { readonly transferId: string }
  | { readonly documentId: string }

type By = { readonly actor: string; readonly reason: string }

/** Refuses what cannot have been taken back by this money. */
const lockReturned = async (tx: Tx, { requisiteId, amount }: StoredOutgoing, transferId: string): Promise<void> => {
  const transfer = await lockTransfer(tx, { requisiteId, id: transferId })
  const isGone = transfer.parts.some(({ kind }) => kind === 'withdrawn' || kind === 'duplicate')
  if (transfer.amount - transfer.reversedAmount < amount || isGone)
    throw new Refusal('invalid_state', 'The transfer is of a smaller amount, or its money is not there any more.')
}

/** Records what the money returned, as its own refund or reversal, and gives that. */
const record = async (tx: Tx, outgoing: StoredOutgoing, money: ReturnedMoney, { actor, reason }: By) => {
  const { requisiteId, currency, amount, bookedAt, id } = outgoing
  const announced = { requisiteId, amount, bookedAt, channel: null }
  if ('paymentId' in money) {
    const decision = { reference: `outgoing:${id}`, decision: 'refund', decidedBy: actor } as const
    const decided = await recordDecision(tx, { ...money, ...decision, amount, requisiteId, bookedAt, reason })
    return { ...announced, ...money, id: decided.id, purpose: 'refund' as const }
  }
  if ('documentId' in money) return undefined
  const { transferId } = money
  await lockReturned(tx, outgoing, transferId)
  const [reversed] = await recordReversals(tx, [
    {
      ...{ requisiteId, currency, amount, bookedAt, bankReference: null, sender: null },
      source: actor,
      dedupeKey: `outgoing:${id}`,
      chosen: { transferId, by: actor, reason },
    },
  ])
  if (!reversed) throw new Error(`the reversal by outgoing transfer ${id} was not recorded`)
  return { ...announced, merchantId: null, paymentId: null, id: reversed.id, purpose: 'reversal' as const }
}

const findAnnounced = async (tx: Tx, outgoing: StoredOutgoing, documentId: string): Promise<Announced> => {
  const { requisiteId, bookedAt, amount } = outgoing
  const span = { since: bookedAt - noticeMs, until: bookedAt + noticeMs }
  const requisiteIds = (await listSharing(tx, [requisiteId])).get(requisiteId) ?? [requisiteId]
  const announced = await tx.query(listAnnounced, { requisiteIds, amounts: [amount], ...span })
  const found = announced.find((each) => each.id === documentId)
  if (!found) throw new Refusal('invalid_state', 'No such refund or reversal of this amount waits for its money.')
  return found
}

/** Confirms that money which the bank gave back is the refund that an outgoing transfer carried out. */
const confirmRefundReversal = async (tx: Tx, key: TransferKey, documentId: string | null, by: By): Promise<void> => {
  const money = await lockUnexplained(tx, key)
  if (!money.givenBack) throw decidedMeanwhile()
  const { possible } = await findRefunds(tx, money)
  const sent = possible.find(({ id }) => id === documentId)
  if (!sent)
    throw new Refusal('invalid_state', 'The bank gave this money back: give the refund that it was, if it was one.')
  await bookAsRefundReversal(tx, money, sent, by)
}

/**
 * Confirms that unexplained outgoing money was returned to a payer: the refund or the reversal is recorded with it, or is
 * the one that was recorded before; the money leaves the ledger once. Money that the bank gave back is confirmed as the
 * refund that came back with it. Refuses `resource_not_found`, `payment_not_found`,
 * `balance_insufficient` where less is owed, and `invalid_state`.
 */
export const confirmOutgoing = async (tx: Tx, key: TransferKey, money: ReturnedMoney, by: By): Promise<void> => {
  const [found] = await tx.query(findOutgoingRow, key)
  if (!found || found.state !== 'unexplained' || found.givenBack)
    return confirmRefundReversal(tx, key, 'documentId' in money ? money.documentId : null, by)
  // Payments and transfers are locked before outgoing ones.
  const made = await record(tx, found, money, by)
  const outgoing = await lockUnexplained(tx, key)
  const announced = made ?? (await findAnnounced(tx, outgoing, 'documentId' in money ? money.documentId : ''))
  await bookToAnnounced(tx, [[outgoing, announced]], by.actor, by.reason)
}

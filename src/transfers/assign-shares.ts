import type { Tx } from '../context.ts'
import { creditedStatuses, type Payment, requisitesOf } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import { listSharing } from '../requisites/read.ts'
import { type LockedTransfer, waitingAmount } from './lock-transfer.ts'
import type { Books } from './open-books.ts'
import { notePayerNames } from './note-payer-names.ts'
import { type Decider, decidedPart, writeParts } from './write-parts.ts'

/** What a locked payment gets of a transfer; `amount` in minor units. */
export type PaymentShare = { readonly payment: Payment; readonly amount: bigint }

/** Refuses `invalid_state` for a payment in another currency, or whose payer was never asked to pay to this account. */
export const refuseUnrelated = async (
  tx: Tx,
  { requisiteId, currency }: LockedTransfer,
  payment: Payment,
): Promise<void> => {
  const requisiteIds = (await listSharing(tx, [requisiteId])).get(requisiteId) ?? [requisiteId]
  if (payment.currency === currency && requisitesOf(payment).some((id) => requisiteIds.includes(id))) return
  throw new Refusal('invalid_state', `The payer of ${payment.orderId} was never asked to pay to this requisite.`)
}

/**
 * Assigns what waits of a locked transfer to payments, which are credited as if the bank had reported their shares; the
 * rest goes on waiting. The shares must not be more than what waits. Refuses `invalid_state` when nothing does.
 */
export const assignShares = async (
  tx: Tx,
  { credits }: Books,
  transfer: LockedTransfer,
  shares: readonly PaymentShare[],
  decider: Decider,
): Promise<void> => {
  const { id: transferId, requisiteId, currency, senderMasked } = transfer
  const rest = shares.reduce((left, { amount }) => left - amount, waitingAmount(transfer))
  const kept = transfer.parts.filter(({ kind }) => kind !== 'suspense')
  const assigned = shares.map(({ payment, amount }) => {
    const isCredited = creditedStatuses.has(credits.current(payment).status)
    credits.release(currency, { transferId, requisiteId, amount })
    credits.receive(payment, { transferId, requisiteId, amount }, transfer, senderMasked)
    return decidedPart(isCredited ? 'overpayment' : 'payment', amount, payment, 'assigned', decider)
  })
  const waiting = rest > 0n ? [decidedPart('suspense', rest, null, 'none', decider)] : []
  await writeParts(tx, transfer, [...kept, ...assigned, ...waiting], decider)
  await notePayerNames(
    tx,
    shares.map(({ payment: { merchantId, id: paymentId } }) => ({ requisiteId, transferId, merchantId, paymentId })),
  )
}

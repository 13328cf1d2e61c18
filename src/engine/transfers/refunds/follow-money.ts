import type { Tx } from '../../context.ts'
import {
  isGivenUp,
  postRefundOwed,
  postRefundReleased,
  type RefundStep,
  takeFeesBack,
  takeRefundStep,
} from '../../../rules/transfers/refund.ts'
import type { Payment } from '../../../rules/payments/payment.ts'
import { worthOf } from '../../../rules/payments/credit.ts'
import { splitCredit } from '../../../rules/merchants/fee.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { sumReversed } from '../../ledger/read.ts'
import { enqueueRefund } from '../../notifications/enqueue-notifications.ts'
import type { TransferKey } from '../transfer-parts.ts'
import {
  findRefund,
  insertRefundEvent,
  listPaidRefunds,
  listRefundDecisionsBooked,
  lockRefundsOfDecisions,
  updateRefund,
  updateShares,
} from './store.ts'

export type StoredRefund = ReturnType<typeof findRefund.decode>

/** Takes a step of a locked refund: status, event and notification. Refuses `invalid_state`. */
export const writeStep = async (
  tx: Tx,
  before: StoredRefund,
  step: RefundStep,
  actor: string,
  changes: Partial<
    Pick<StoredRefund, 'approvedBy' | 'decisionId' | 'failure' | 'bankOrder' | 'bankFile' | 'payeeSealed'>
  > = {},
): Promise<StoredRefund> => {
  const taken = takeRefundStep(before, step, tx.now)
  if (taken instanceof Refusal) throw taken
  const after = { ...taken, ...(step !== 'fail' && { failingBy: null }), ...changes }
  await tx.query(updateRefund, after)
  const { merchantId, id: refundId, sequence, status, changedAt: at } = after
  await tx.query(insertRefundEvent, { merchantId, refundId, sequence, status, actor, at })
  if (isGivenUp(status)) await postEntries(tx, [postRefundReleased(after)])
  enqueueRefund(tx, after)
  return after
}

/** Outgoing money was booked to these decisions: those that were refunds of merchants are done. */
export const proveRefunds = async (tx: Tx, decisionIds: readonly string[], actor: string): Promise<void> => {
  if (decisionIds.length === 0) return
  for (const refund of await tx.query(lockRefundsOfDecisions, { decisionIds }))
    if (refund.status === 'sent') await writeStep(tx, refund, 'prove', actor)
}

/** Outgoing transfers, which are still booked, are about to be unbooked: refunds that they proved are so no longer. */
export const unproveRefunds = async (tx: Tx, outgoing: readonly TransferKey[], actor: string): Promise<void> => {
  const booked = await tx.query(listRefundDecisionsBooked, { rows: outgoing })
  if (booked.length === 0) return
  const decisionIds = booked.map(({ decisionId }) => decisionId)
  for (const refund of await tx.query(lockRefundsOfDecisions, { decisionIds }))
    if (refund.status === 'done') await writeStep(tx, refund, 'unprove', actor)
}

/**
 * The decision by which the money of a refund left was taken back, so that its payer is owed it again: the refund waits to
 * be sent again, or with `failure` ends, and its merchant gets its share back.
 */
export const takeRefundBack = async (
  tx: Tx,
  decisionId: string,
  actor: string,
  failure: string | null,
): Promise<void> => {
  for (const refund of await tx.query(lockRefundsOfDecisions, { decisionIds: [decisionId] })) {
    await postEntries(tx, [[postRefundOwed(refund, true)]])
    await writeStep(tx, refund, failure === null ? 'unsend' : 'fail', actor, {
      decisionId: null,
      failure,
      bankFile: null,
      payeeSealed: null,
    })
  }
}

/** The credit of a payment has changed: its refunds return no more of the fee than it still has. */
export const limitReturnedFees = async (tx: Tx, payment: Payment): Promise<void> => {
  const { merchantId, id: paymentId, terms, quoteCurrency } = payment
  if (terms.refundFee !== 'returned') return
  const credited = (payment.finalAmount ?? payment.received) - (await sumReversed(tx, merchantId, paymentId))
  const refunds = await tx.query(listPaidRefunds, { merchantId, paymentId })
  const { fee } = splitCredit(worthOf(payment, credited), terms, quoteCurrency)
  const changes = takeFeesBack(refunds, fee)
  if (changes.length === 0) return
  await tx.query(updateShares, { rows: changes.map(({ refund }) => refund) })
  await postEntries(
    tx,
    changes.map(({ posting }) => [posting]),
  )
}

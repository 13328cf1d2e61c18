import type { Tx } from '../../context.ts'
import { bookReported } from '../outgoing/book-announced.ts'
import { type NewDecision, recordDecision } from './record-decision.ts'

/** As `recordDecision`; a refund that its bank has reported already is that outgoing transfer. */
export const decideOverpayment = async (tx: Tx, wanted: NewDecision) => {
  const { isNew, ...decided } = await recordDecision(tx, wanted)
  const { id, merchantId, paymentId, requisiteId, amount, bookedAt } = decided
  if (isNew && requisiteId !== null)
    await bookReported(tx, {
      purpose: 'refund',
      id,
      requisiteId,
      amount,
      bookedAt,
      merchantId,
      paymentId,
      channel: null,
    })
  return decided
}

import type { Context, Tx } from '../context.ts'
import { invalidState, Refusal } from '../../rules/refusal.ts'
import { lockPayment } from './lock-payment.ts'
import { insertPaymentNote, selectPaymentNotes } from './store.ts'

/** Most notes about one payment: all are read with it. */
const maxNotes = 500

/** Adds an operator's note about a payment. Refuses `payment_not_found`, and `invalid_state` after `maxNotes`. */
export const addPaymentNote = async (
  tx: Tx,
  { merchantId, id: paymentId }: { readonly merchantId: string; readonly id: string },
  actor: string,
  text: string,
): Promise<void> => {
  if (!(await lockPayment(tx, merchantId, paymentId)))
    throw new Refusal('payment_not_found', 'There is no such payment.')
  const written = { id: tx.newId(), writtenBy: actor, writtenAt: tx.now, most: maxNotes }
  const [added] = await tx.query(insertPaymentNote, { merchantId, paymentId, text, ...written })
  if (!added) throw invalidState(`There are already ${maxNotes} notes about it.`)
}

/** The notes about a payment, the oldest first. */
export const listPaymentNotes = (context: Context, merchantId: string, paymentId: string) =>
  context.query(selectPaymentNotes, { merchantId, paymentId })

import { instant, query, text, uuid } from '../../database/query.ts'

/** Adds a note about a payment. */
export const insertPaymentNote = query('insert_payment_note', {
  parameters: { merchantId: uuid, paymentId: uuid, id: uuid, text, writtenBy: text, writtenAt: instant },
  text: `insert into payment_notes (merchant_id, payment_id, id, text, written_by, written_at)
    values (:merchantId, :paymentId, :id, :text, :writtenBy, :writtenAt)`,
})

/** The notes about a payment, the oldest first. */
export const selectPaymentNotes = query('list_payment_notes', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { text, writtenBy: text, writtenAt: instant },
  text: `select text, written_by, written_at from payment_notes
    where merchant_id = :merchantId and payment_id = :paymentId order by id`,
})

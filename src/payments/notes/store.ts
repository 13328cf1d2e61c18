import { instant, integer, query, text, uuid } from '../../database/query.ts'

/** Adds a note about a locked payment that has fewer than `most`; returns nothing where it has not. */
export const insertPaymentNote = query('insert_payment_note', {
  parameters: {
    ...{ merchantId: uuid, paymentId: uuid, id: uuid, text },
    ...{ writtenBy: text, writtenAt: instant, most: integer },
  },
  row: { id: uuid },
  text: `insert into payment_notes (merchant_id, payment_id, id, text, written_by, written_at)
    select :merchantId, :paymentId, :id, :text, :writtenBy, :writtenAt
    where (select count(*) from payment_notes where merchant_id = :merchantId and payment_id = :paymentId) < :most
    returning id`,
})

/** The notes about a payment, the oldest first. */
export const selectPaymentNotes = query('list_payment_notes', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { text, writtenBy: text, writtenAt: instant },
  text: `select text, written_by, written_at from payment_notes
    where merchant_id = :merchantId and payment_id = :paymentId order by id`,
})

import { bigint, boolean, instant, nullable, query, text, uuid, word } from '../../database/query.ts'
import type { RecordedRowKind } from '../../domain/statement-import.ts'

/** Rows of bookings that were imported before, each once; also of statements being withdrawn, which may yet stay. */
export const listBookingRows = query('list_rows_of_bookings', {
  rows: { requisiteId: uuid, reference: text },
  row: {
    requisiteId: uuid,
    kind: word<RecordedRowKind>(),
    bookingReference: nullable(text),
    bookingAmount: nullable(bigint),
    dedupeKey: text,
    fingerprint: text,
    amount: bigint,
    bookedAt: instant,
    bankReference: nullable(text),
    referenceKind: nullable(text),
  },
  text: `select distinct on (known.requisite_id, known.booking_reference, known.dedupe_key) known.requisite_id,
      known.kind, known.booking_reference, known.booking_amount, known.dedupe_key, known.fingerprint, known.amount, known.booked_at,
      known.bank_reference, known.reference_kind
    from :rows
    join statement_rows as known
      on known.requisite_id = input.requisite_id and known.booking_reference = input.reference
    join statements on statements.id = known.statement_id
      and statements.state in ('importing', 'imported', 'withdrawing')
    where known.kind in ('booked', 'outgoing')
    order by known.requisite_id, known.booking_reference, known.dedupe_key, known.position`,
})

/** A new row of a statement whose booking another one reports in another form: as a sum instead of in parts, or reversed. */
export const findOtherForm = query('find_booking_in_other_form', {
  parameters: { statementId: uuid },
  row: { bookingReference: nullable(text), statementId: uuid, isWithdrawing: boolean },
  text: `select own.booking_reference, others.statement_id, statements.state = 'withdrawing' as is_withdrawing
    from statement_rows as own
    join statement_rows as others on others.requisite_id = own.requisite_id
      and others.booking_reference = own.booking_reference and others.booking_amount = own.booking_amount
      and others.statement_id <> own.statement_id and others.kind = own.kind
      and (others.bank_reference = others.booking_reference)
        is distinct from (own.bank_reference = own.booking_reference)
    join statements
      on statements.id = others.statement_id and statements.state in ('importing', 'imported', 'withdrawing')
    where own.statement_id = :statementId and own.kind in ('booked', 'outgoing') and not own.already_known limit 1`,
})

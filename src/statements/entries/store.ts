import { array, bigint, boolean, instant, nullable, query, text, uuid } from '../../database/query.ts'

/** Rows of bookings that were imported before, each once; also of what is being undone, which may be given up. */
export const listEntryRows = query({
  name: 'list_rows_of_entries',
  parameters: { requisiteIds: array(uuid), references: array(text) },
  row: {
    requisiteId: uuid,
    entryReference: nullable(text),
    entryAmount: nullable(bigint),
    dedupeKey: text,
    fingerprint: text,
    amount: bigint,
    bookedAt: instant,
    bankReference: nullable(text),
    referenceKind: nullable(text),
  },
  text: `select distinct on (told.requisite_id, told.entry_reference, told.dedupe_key) told.requisite_id,
      told.entry_reference, told.entry_amount, told.dedupe_key, told.fingerprint, told.amount, told.booked_at,
      told.bank_reference, told.reference_kind
    from unnest(:requisiteIds, :references) as input (requisite_id, reference)
    join statement_rows as told on told.requisite_id = input.requisite_id and told.entry_reference = input.reference
    join statements on statements.id = told.statement_id
      and statements.state in ('importing', 'imported', 'undoing')
    where told.kind = 'booked'
    order by told.requisite_id, told.entry_reference, told.dedupe_key, told.position`,
})

/** A new row of a statement whose booking another one has told of as a sum where this one tells parts, or the other way. */
export const findToldOtherwise = query({
  name: 'find_entry_told_otherwise',
  parameters: { statementId: uuid },
  row: { entryReference: nullable(text), statementId: uuid, undoing: boolean },
  text: `select own.entry_reference, others.statement_id, statements.state = 'undoing' as undoing
    from statement_rows as own
    join statement_rows as others on others.requisite_id = own.requisite_id
      and others.entry_reference = own.entry_reference and others.entry_amount = own.entry_amount
      and others.statement_id <> own.statement_id and others.kind = 'booked'
      and (others.bank_reference = others.entry_reference) is distinct from (own.bank_reference = own.entry_reference)
    join statements on statements.id = others.statement_id and statements.state in ('importing', 'imported', 'undoing')
    where own.statement_id = :statementId and own.kind = 'booked' and not own.duplicate limit 1`,
})

import { instant, integer, nullable, query, text, uuid } from 'payin-database'

/** Marks the open case of a transfer as parked; nulls remove the mark. */
export const markParked = query('mark_transfer_parked', {
  parameters: {
    requisiteId: uuid,
    transferId: uuid,
    at: nullable(instant),
    by: nullable(text),
    because: nullable(text),
  },
  text: `update suspense_cases set parked_at = :at, parked_by = :by, parked_because = :because
    where requisite_id = :requisiteId and transfer_id = :transferId and resolved_at is null`,
})

/** How many parts of a transfer do not wait, and the number of the last one ever. */
export const countParts = query('count_transfer_parts', {
  parameters: { requisiteId: uuid, transferId: uuid },
  row: { current: integer, last: integer },
  text: `select count(*) filter (where replaced_at is null and kind <> 'suspense')::integer as current,
      max(number) as last
    from transfer_parts where requisite_id = :requisiteId and transfer_id = :transferId`,
})

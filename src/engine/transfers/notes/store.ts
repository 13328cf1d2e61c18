import { instant, integer, query, text, uuid } from 'payin-database'

/** Adds a note about a locked transfer if it has fewer than `most`; otherwise returns no row. */
export const insertNote = query('insert_transfer_note', {
  parameters: {
    ...{ requisiteId: uuid, transferId: uuid, id: uuid, text },
    ...{ writtenBy: text, writtenAt: instant, most: integer },
  },
  row: { id: uuid },
  text: `insert into transfer_notes (requisite_id, transfer_id, id, text, written_by, written_at)
    select :requisiteId, :transferId, :id, :text, :writtenBy, :writtenAt
    where (select count(*) from transfer_notes where requisite_id = :requisiteId and transfer_id = :transferId) < :most
    returning id`,
})

export const selectNotes = query('list_transfer_notes', {
  parameters: { requisiteId: uuid, transferId: uuid },
  row: { text, writtenBy: text, writtenAt: instant },
  text: `select :row from transfer_notes
    where requisite_id = :requisiteId and transfer_id = :transferId order by id`,
})

import { array, integer, query, text, uuid } from '../../database/query.ts'

const queriesOf = (table: 'payer_receipts' | 'dispute_evidence') => ({
  /** Files whose contents are in the database. */
  listKept: query(`list_kept_${table}`, {
    parameters: { limit: integer },
    row: { id: uuid, contentSealed: text },
    text: `select id, content_sealed from ${table} where content_hash is null order by id limit :limit`,
  }),
  /** Notes that a content is stored elsewhere. */
  markMoved: query(`mark_moved_${table}`, {
    parameters: { id: uuid, contentIndex: text, contentSealed: text, contentHash: text },
    text: `update ${table} set content_index = :contentIndex, content_sealed = :contentSealed, content_hash = :contentHash
      where id = :id and content_hash is null`,
  }),
  /** Which of these files there are. */
  listKnown: query(`list_known_${table}`, {
    parameters: { ids: array(uuid) },
    row: { id: uuid },
    text: `select id from ${table} where id = any(:ids) and content_hash is not null`,
  }),
})

/** The queries about the contents of files, per table. */
export const fileQueries = {
  payer_receipts: queriesOf('payer_receipts'),
  dispute_evidence: queriesOf('dispute_evidence'),
} as const

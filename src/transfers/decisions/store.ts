import { instant, integer, nullable, query, text, uuid, word } from '../../database/query.ts'
import type { DecisionWord } from '../../domain/transfer.ts'

/** Adds a decision, if neither its id nor its operator's key is known. */
export const insertDecision = query('insert_decision', {
  parameters: {
    id: uuid,
    decidedBy: text,
    idempotencyKey: nullable(text),
    bodyHash: nullable(text),
    decidedAt: instant,
  },
  text: `insert into decisions (id, decided_by, idempotency_key, body_hash, decided_at)
    values (:id, :decidedBy, :idempotencyKey, :bodyHash, :decidedAt) on conflict do nothing`,
})

/** A decision by the key of its operator. */
export const findDecisionByKey = query('find_decision_by_key', {
  parameters: { decidedBy: text, idempotencyKey: text },
  row: { id: uuid, bodyHash: nullable(text) },
  text: `select id, body_hash from decisions where decided_by = :decidedBy and idempotency_key = :idempotencyKey`,
})

const decidedKey = { decisionId: uuid, requisiteId: uuid, transferId: uuid }

/** The transfers of a decision, in their order. */
export const listDecided = query('list_decided_transfers', {
  parameters: { decisionId: uuid },
  row: {
    requisiteId: uuid,
    transferId: uuid,
    word: word<DecisionWord>(),
    refusalCode: nullable(text),
    refusalMessage: nullable(text),
    revokedAt: nullable(instant),
    revokedBy: nullable(text),
  },
  text: `select requisite_id, transfer_id, word, refusal_code, refusal_message, revoked_at, revoked_by
    from decided_transfers where decision_id = :decisionId order by number, transfer_id`,
})

/** Adds a transfer that a decision has just changed by `made` parts; returns nothing where the decision has it already. */
export const insertDone = query('insert_done_transfer', {
  parameters: { ...decidedKey, number: integer, word: word<DecisionWord>(), made: integer },
  row: { transferId: uuid },
  text: `insert into decided_transfers (decision_id, number, requisite_id, transfer_id, word, kept_parts, last_part)
    select :decisionId, :number, :requisiteId, :transferId, :word,
      count(*) filter (where replaced_at is null and kind <> 'suspense')::integer - :made, max(parts.number)
    from transfer_parts as parts where requisite_id = :requisiteId and transfer_id = :transferId
    on conflict do nothing returning transfer_id`,
})

/** Adds a transfer about which a decision was refused, unless the decision has it already. */
export const insertRefused = query('insert_refused_transfer', {
  parameters: {
    ...decidedKey,
    number: integer,
    word: word<DecisionWord>(),
    refusalCode: text,
    refusalMessage: text,
  },
  text: `insert into decided_transfers
      (decision_id, number, requisite_id, transfer_id, word, refusal_code, refusal_message)
    values (:decisionId, :number, :requisiteId, :transferId, :word, :refusalCode, :refusalMessage)
    on conflict do nothing`,
})

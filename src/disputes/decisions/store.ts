import { bigint, instant, integer, nullable, query, text, uuid, word } from '../../database/query.ts'

/** Adds a request, unless its operator's key is known. */
export const insertDecision = query('insert_dispute_decision', {
  parameters: { id: uuid, decidedBy: text, idempotencyKey: text, bodyHash: text, decidedAt: instant },
  text: `insert into dispute_decisions (id, decided_by, idempotency_key, body_hash, decided_at)
    values (:id, :decidedBy, :idempotencyKey, :bodyHash, :decidedAt) on conflict do nothing`,
})

/** A request by the key of its operator. */
export const findDecisionByKey = query('find_dispute_decision_by_key', {
  parameters: { decidedBy: text, idempotencyKey: text },
  row: { id: uuid, bodyHash: text },
  text: `select id, body_hash from dispute_decisions
    where decided_by = :decidedBy and idempotency_key = :idempotencyKey`,
})

const result = {
  merchantId: uuid,
  disputeId: uuid,
  state: word<'done' | 'proposed' | 'refused'>(),
  refusalCode: nullable(text),
  refusalMessage: nullable(text),
}

/** Adds the result of one dispute; returns nothing where the request has it already. */
export const insertResult = query('insert_decided_dispute', {
  parameters: { decisionId: uuid, number: integer, ...result },
  row: { disputeId: uuid },
  text: `insert into decided_disputes
      (decision_id, number, merchant_id, dispute_id, state, refusal_code, refusal_message)
    values (:decisionId, :number, :merchantId, :disputeId, :state, :refusalCode, :refusalMessage)
    on conflict do nothing returning dispute_id`,
})

/** The results of a request, in its order. */
export const selectResults = query('list_decided_disputes', {
  parameters: { decisionId: uuid },
  row: result,
  text: `select merchant_id, dispute_id, state, refusal_code, refusal_message from decided_disputes
    where decision_id = :decisionId order by number`,
})

/** Deletes the requests before a time, the oldest first, with their results. */
export const deleteDecisions = query('delete_dispute_decisions', {
  parameters: { before: instant, limit: integer },
  row: { deleted: bigint },
  // The lock excludes another process that deletes them.
  text: `with old as (
      select id from dispute_decisions where decided_at < :before order by decided_at limit :limit
      for update skip locked
    ), results as (
      delete from decided_disputes using old where decided_disputes.decision_id = old.id
    ), gone as (
      delete from dispute_decisions using old where dispute_decisions.id = old.id returning 1
    )
    select count(*) as deleted from gone`,
})

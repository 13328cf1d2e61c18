import { bigint, instant, integer, nullable, query, text, uuid, word } from 'payin-database'
import type { DecisionWord } from '../../../rules/transfers/transfer.ts'

export const insertDecision = query('insert_decision', {
  parameters: {
    id: uuid,
    decidedBy: text,
    idempotencyKey: nullable(text),
    bodyHash: nullable(text),
    decidedAt: instant,
  },
  text: `insert into decisions (:fields) values (:values) on conflict do nothing`,
})

export const findDecisionByKey = query('find_decision_by_key', {
  parameters: { decidedBy: text, idempotencyKey: text },
  row: { id: uuid, bodyHash: nullable(text) },
  text: `select id, body_hash from decisions where decided_by = :decidedBy and idempotency_key = :idempotencyKey`,
})

const decidedKey = { decisionId: uuid, requisiteId: uuid, transferId: uuid }

export const listDecided = query('list_decided_transfers', {
  parameters: { decisionId: uuid },
  row: {
    requisiteId: uuid,
    transferId: uuid,
    word: word<DecisionWord>(),
    refusalCode: nullable(text),
    refusalMessage: nullable(text),
    revokedAt: nullable(instant),
  },
  text: `select :row
    from decided_transfers where decision_id = :decisionId order by number, transfer_id`,
})

/** Adds a transfer that a decision has just changed by `made` parts; returns no row if the decision already has it. */
export const insertDone = query('insert_done_transfer', {
  parameters: { ...decidedKey, number: integer, word: word<DecisionWord>(), made: integer },
  row: { transferId: uuid },
  text: `insert into decided_transfers (decision_id, number, requisite_id, transfer_id, word, kept_parts, last_part)
    select :decisionId, :number, :requisiteId, :transferId, :word,
      count(*) filter (where replaced_at is null and kind <> 'suspense')::integer - :made, max(parts.number)
    from transfer_parts as parts where requisite_id = :requisiteId and transfer_id = :transferId
    on conflict do nothing returning transfer_id`,
})

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

export const lockDecided = query('lock_decided_transfer', {
  parameters: decidedKey,
  row: {
    word: word<DecisionWord>(),
    keptParts: nullable(integer),
    lastPart: nullable(integer),
    revokedAt: nullable(instant),
    decidedAt: instant,
  },
  // Excludes every other revocation of this decision.
  text: `select word, kept_parts, last_part, revoked_at, decisions.decided_at from decided_transfers
    join decisions on decisions.id = decided_transfers.decision_id
    where decision_id = :decisionId and requisite_id = :requisiteId and transfer_id = :transferId
    for update of decided_transfers`,
})

export const findLastPart = query('find_last_transfer_part', {
  parameters: { requisiteId: uuid, transferId: uuid },
  row: { number: integer },
  text: `select number from transfer_parts where requisite_id = :requisiteId and transfer_id = :transferId
    order by number desc limit 1`,
})

export const markRevoked = query('mark_decision_revoked', {
  parameters: { ...decidedKey, at: instant, by: text },
  text: `update decided_transfers set revoked_at = :at, revoked_by = :by
    where decision_id = :decisionId and requisite_id = :requisiteId and transfer_id = :transferId`,
})

const decisionRow = {
  id: uuid,
  decidedBy: text,
  decidedAt: instant,
  done: integer,
  refused: integer,
  revoked: integer,
}

const decisions = `select decisions.id, decisions.decided_by, decisions.decided_at, counted.done, counted.refused, counted.revoked
  from decisions cross join lateral (
    select count(*) filter (where refusal_code is null)::integer as done,
      count(*) filter (where refusal_code is not null)::integer as refused, count(revoked_at)::integer as revoked
    from decided_transfers where decided_transfers.decision_id = decisions.id
  ) as counted`

export const selectDecisions = query('list_decisions', {
  planned: 'each-time',
  parameters: { since: instant, before: nullable(uuid), limit: integer },
  row: decisionRow,
  text: `${decisions} where decisions.decided_at >= :since and (:before is null or decisions.id < :before)
    order by decisions.id desc limit :limit`,
})

export const selectDecision = query('find_decision', {
  parameters: { id: uuid },
  row: decisionRow,
  text: `${decisions} where decisions.id = :id`,
})

export const deleteDecisions = query('delete_decisions', {
  parameters: { before: instant, limit: integer },
  row: { deleted: bigint },
  // The lock excludes a revocation, and another process that deletes the same decisions.
  text: `with old as (
      select id from decisions where decided_at < :before order by decided_at limit :limit for update skip locked
    ), results as (
      delete from decided_transfers using old where decided_transfers.decision_id = old.id
    ), gone as (
      delete from decisions using old where decisions.id = old.id returning 1
    )
    select count(*) as deleted from gone`,
})

import { bigint, instant, integer, nullable, query, table, text, uuid, word } from 'payin-database'

export type DecisionAbout = 'transfer' | 'dispute'

export const insertDecision = query('insert_decision', {
  parameters: {
    id: uuid,
    about: word<DecisionAbout>(),
    decidedBy: text,
    idempotencyKey: nullable(text),
    bodyHash: nullable(text),
    decidedAt: instant,
  },
  text: `insert into decisions (:fields) values (:values) on conflict do nothing`,
})

export const findDecisionByKey = table('decisions', {
  ...{ about: word<DecisionAbout>(), decidedBy: text, idempotencyKey: text },
}).find('find_decision_by_key', { id: uuid, bodyHash: nullable(text) })

const resultKey = { decisionId: uuid, ownerId: uuid, id: uuid }

const result = {
  ownerId: uuid,
  id: uuid,
  word: text,
  state: word<'done' | 'proposed' | 'refused'>(),
  code: nullable(text),
  message: nullable(text),
}

/** Adds a result; returns no row if the decision already has it. */
export const insertResult = query('insert_decision_result', {
  parameters: {
    decisionId: uuid,
    number: integer,
    ...result,
    keptParts: nullable(integer),
    lastPart: nullable(integer),
  },
  row: { id: uuid },
  text: `insert into decision_results (:fields) values (:values) on conflict do nothing returning id`,
})

export const selectResults = table('decision_results', { decisionId: uuid }).select(
  'list_decision_results',
  { ...result, revokedAt: nullable(instant) },
  'order by number, id',
)

const isResult = 'results.decision_id = :decisionId and results.owner_id = :ownerId and results.id = :id'

export const lockResult = query('lock_decision_result', {
  parameters: resultKey,
  row: {
    word: text,
    keptParts: nullable(integer),
    lastPart: nullable(integer),
    revokedAt: nullable(instant),
    decidedAt: instant,
  },
  // Excludes every other revocation of this decision.
  text: `select word, kept_parts, last_part, revoked_at, decided_at from decision_results as results
    join decisions on decisions.id = results.decision_id where ${isResult} for update of results`,
})

export const markRevoked = query('mark_decision_revoked', {
  parameters: { ...resultKey, at: instant },
  text: `update decision_results as results set revoked_at = :at where ${isResult}`,
})

const decisionRow = {
  id: uuid,
  decidedBy: text,
  decidedAt: instant,
  done: integer,
  refused: integer,
  revoked: integer,
}

const aboutTransfers = `select decisions.id, decisions.decided_by, decisions.decided_at, counted.done, counted.refused, counted.revoked
  from decisions cross join lateral (
    select count(*) filter (where state <> 'refused')::integer as done,
      count(*) filter (where state = 'refused')::integer as refused, count(revoked_at)::integer as revoked
    from decision_results where decision_results.decision_id = decisions.id
  ) as counted where decisions.about = 'transfer'`

export const selectDecisions = query('list_decisions', {
  planned: 'each-time',
  parameters: { since: instant, before: nullable(uuid), limit: integer },
  row: decisionRow,
  text: `${aboutTransfers} and decisions.decided_at >= :since and (:before is null or decisions.id < :before)
    order by decisions.id desc limit :limit`,
})

export const selectDecision = query('find_decision', {
  parameters: { id: uuid },
  row: decisionRow,
  text: `${aboutTransfers} and decisions.id = :id`,
})

export const deleteDecisions = query('delete_decisions', {
  parameters: { before: instant, limit: integer },
  row: { deleted: bigint },
  // The lock excludes a revocation, and another process that deletes the same decisions.
  text: `with old as (
      select id from decisions where decided_at < :before order by decided_at limit :limit for update skip locked
    ), results as (
      delete from decision_results using old where decision_results.decision_id = old.id
    ), gone as (
      delete from decisions using old where decisions.id = old.id returning 1
    )
    select count(*) as deleted from gone`,
})

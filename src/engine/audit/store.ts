import { bigint, instant, integer, nullable, query, text, uuid } from 'payin-database'

/** The last sequence number and hash of the audit chain, locked. */
export const lockAuditHead = query('lock_audit_head', {
  row: { sequence: bigint, hash: text },
  // Excludes every other entry, so that the chain has one order.
  text: `select sequence, hash from audit_head where id = 1 for update`,
})

const entryRow = {
  sequence: bigint,
  at: instant,
  actor: text,
  action: text,
  subject: text,
  details: text,
  credential: nullable(text),
  sessionId: nullable(uuid),
  previousHash: text,
  hash: text,
}

export const insertAuditEntries = query('insert_audit_entries', {
  parameters: { lastSequence: bigint, lastHash: text },
  rows: entryRow,
  text: `with head as (update audit_head set sequence = :lastSequence, hash = :lastHash where id = 1)
    insert into audit_entries (:columns) select :columns from :rows`,
})

export const selectAuditEntries = query('list_audit_entries', {
  parameters: { after: bigint, limit: integer },
  row: entryRow,
  text: `select :row from audit_entries
    where sequence > :after order by sequence limit :limit`,
})

export const findActOfToken = query('find_act_of_token', {
  parameters: { actor: text },
  row: { sequence: bigint },
  text: `select sequence from audit_entries where actor = :actor and starts_with(credential, 'token:') limit 1`,
})

export const findAuditEntries = query('find_audit_entries', {
  planned: 'each-time',
  parameters: {
    before: bigint,
    from: bigint,
    actor: nullable(text),
    action: nullable(text),
    subject: nullable(text),
    since: nullable(instant),
    until: nullable(instant),
    limit: integer,
  },
  row: entryRow,
  text: `select :row from audit_entries
    where sequence < :before and sequence >= :from and (:actor is null or actor = :actor)
      and (:action is null or starts_with(action, :action)) and (:subject is null or starts_with(subject, :subject))
      and (:since is null or at >= :since) and (:until is null or at < :until)
    order by sequence desc limit :limit`,
})

export const findAuditHead = query('find_audit_head', {
  row: { sequence: bigint, hash: text, at: nullable(instant) },
  text: `select audit_head.sequence, audit_head.hash, audit_entries.at from audit_head
    left join audit_entries on audit_entries.sequence = audit_head.sequence where audit_head.id = 1`,
})

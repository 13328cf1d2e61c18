import { array, instant, integer, nullable, query, text, uuid, word } from 'payin-database'
import type { AlertRuleName } from '../../../rules/notices/alert.ts'
import type { NoticeKind } from '../../../rules/notices/alert-message.ts'

/** Messages that nobody has begun to send, locked: further incidents may join them. */
export const lockWaitingMessages = query('lock_waiting_alert_messages', {
  row: { id: uuid, channelId: uuid, dueAt: instant },
  // If another transaction is leasing one, this sees the result, and leaves it out.
  text: `select :row from alert_messages
    where state = 'pending' and attempts = 0 order by id for update`,
})

export const insertMessages = query('insert_alert_messages', {
  parameters: { now: instant },
  rows: { id: uuid, channelId: uuid, dueAt: instant },
  text: `insert into alert_messages (id, channel_id, state, due_at, attempts, created_at)
    select id, channel_id, 'pending', due_at, 0, :now from :rows`,
})

export const bringForward = query('bring_alert_messages_forward', {
  rows: { id: uuid, dueAt: instant },
  text: `update alert_messages set due_at = least(alert_messages.due_at, input.due_at)
    from :rows where alert_messages.id = input.id`,
})

/** Adds incidents to messages; a further reminder replaces the waiting one. */
export const insertNotices = query('insert_alert_notices', {
  rows: { messageId: uuid, incidentId: uuid, kind: text, summary: text, command: text, at: instant },
  text: `insert into alert_notices (message_id, incident_id, kind, summary, command, at)
    select message_id, incident_id, kind, summary, command, at from :rows
    on conflict (message_id, incident_id, kind) do update
      set summary = excluded.summary, command = excluded.command, at = excluded.at`,
})

export const listNoticedChannels = query('list_noticed_alert_channels', {
  parameters: { incidentIds: array(uuid) },
  row: { incidentId: uuid, channelId: uuid },
  text: `select distinct notices.incident_id, messages.channel_id from alert_notices as notices
    join alert_messages as messages on messages.id = notices.message_id
    where notices.incident_id = any(:incidentIds)`,
})

/** Leases due messages, one for each channel: the first, or the one that was tried before. */
export const leaseMessages = query('lease_alert_messages', {
  parameters: { now: instant, leaseId: uuid, until: instant, limit: integer },
  row: { id: uuid, channelId: uuid, attempts: integer, createdAt: instant },
  // While a message of a channel waits for another attempt, later ones wait, too: otherwise the end of an incident
  // could arrive before its beginning.
  text: `update alert_messages set leased_by = :leaseId, leased_until = :until, attempts = attempts + 1
    where id in (
      select id from alert_messages as due
      where state = 'pending' and due_at <= :now and (leased_until is null or leased_until <= :now)
        and not exists (select from alert_messages as others where others.channel_id = due.channel_id
          and others.state = 'pending' and others.id <> due.id and (others.attempts > 0 and due.attempts = 0
            or (others.attempts > 0) = (due.attempts > 0) and others.due_at <= :now
              and (others.due_at, others.id) < (due.due_at, due.id)))
      order by due_at limit :limit for update skip locked
    ) and state = 'pending' and (leased_until is null or leased_until <= :now)
    returning id, channel_id, attempts, created_at`,
})

/** Lets messages come now that a clock that was ahead has written, leased, or planned again, for after `latest`. */
export const correctMessages = query('correct_alert_messages', {
  parameters: { now: instant, latest: instant },
  row: { id: uuid },
  text: `update alert_messages set due_at = :now, leased_by = null, leased_until = null
    where state = 'pending' and (leased_until > :latest
      or (leased_until is null and due_at > :now and (created_at > :latest or (attempts > 0 and due_at > :latest))))
    returning id`,
})

export const listNotices = query('list_alert_notices', {
  parameters: { messageIds: array(uuid) },
  row: {
    messageId: uuid,
    incidentId: uuid,
    kind: word<NoticeKind>(),
    rule: word<AlertRuleName>(),
    subject: text,
    summary: text,
    command: text,
    since: instant,
    at: instant,
  },
  text: `select notices.message_id, notices.incident_id, notices.kind, incidents.rule, incidents.subject,
      notices.summary, notices.command, incidents.since, notices.at
    from alert_notices as notices join alert_incidents as incidents on incidents.id = notices.incident_id
    where notices.message_id = any(:messageIds) order by notices.at, notices.incident_id`,
})

/** Writes the results of attempts, unless another node has taken over the lease. */
export const finishAttempts = query('finish_alert_attempts', {
  parameters: { leaseId: uuid, now: instant },
  rows: { id: uuid, state: text, dueAt: nullable(instant), error: nullable(text) },
  text: `update alert_messages set state = input.state, due_at = coalesce(input.due_at, alert_messages.due_at),
      last_error = input.error, leased_by = null, leased_until = null,
      finished_at = case when input.state = 'pending' then null else :now end
    from :rows where alert_messages.id = input.id and leased_by = :leaseId and alert_messages.state = 'pending'`,
})

export const dropMessages = query('drop_alert_messages', {
  parameters: { channelId: uuid, now: instant },
  text: `update alert_messages set state = 'dropped', finished_at = :now, leased_by = null, leased_until = null
    where channel_id = :channelId and state = 'pending'`,
})

export const deleteOldMessages = query('delete_old_alert_messages', {
  parameters: { before: instant, limit: integer },
  row: { id: uuid },
  text: `with old as (select id from alert_messages where finished_at < :before limit :limit),
      forgotten as (delete from alert_notices where message_id in (select id from old))
    delete from alert_messages where id in (select id from old) returning id`,
})

import { array, instant, integer, nullable, query, table, text, uuid, word } from 'payin-database'
import type { MessageState, TaughtKind } from '../../../rules/phones/phone.ts'

const taught = { id: uuid, bank: text, kind: word<TaughtKind>(), template: text }

const changing = {
  /** Who alone taught it, until another operator approves it. */
  changedBy: nullable(text),
  /** Since when messages are read with it; null: they are not yet. */
  usedSince: nullable(instant),
  withdrawnBy: nullable(text),
  withdrawnAt: nullable(instant),
}

const templateRow = { ...taught, messageId: uuid, taughtBy: text, taughtAt: instant, ...changing }

/** A template that an operator has taught. */
export type StoredTemplate = ReturnType<typeof selectTemplates.decode>

export const insertTemplate = query('insert_message_template', {
  parameters: templateRow,
  row: { id: uuid },
  text: `insert into message_templates (:fields) values (:values) on conflict do nothing returning id`,
})

export const selectTemplates = query('list_message_templates', {
  row: templateRow,
  text: `select :row from message_templates order by withdrawn_at is not null, id desc limit 1000`,
})

export const selectUsedTemplates = query('list_used_message_templates', {
  row: taught,
  text: `select :row from message_templates where used_since is not null and withdrawn_at is null order by id`,
})

/** Those of some templates that are used; they are not withdrawn before the transaction ends. */
export const holdUsedTemplates = query('hold_used_message_templates', {
  parameters: { ids: array(uuid) },
  row: { id: uuid },
  text: `select id from message_templates where id = any(:ids) and used_since is not null and withdrawn_at is null
    for share`,
})

const templates = table('message_templates', { id: uuid })

const templateById = templates.findAndLock('message_template', templateRow)

export const findTemplate = templateById.find
export const lockTemplate = templateById.lock

export const updateTemplate = templates.update('update_message_template', changing)

/** How many of a bank's templates are not withdrawn. */
export const countTemplates = query('count_message_templates', {
  parameters: { bank: text },
  row: { count: integer },
  text: `select count(*)::integer as count from message_templates where bank = :bank and withdrawn_at is null`,
})

/** How many messages each template has read, and how many of them brought money. */
export const countReadings = query('count_readings_of_message_templates', {
  row: { templateId: uuid, read: integer, recorded: integer },
  text: `select template_id, count(*)::integer as read, (count(*) filter (where state = 'recorded'))::integer as recorded
    from phone_messages where template_id is not null group by template_id`,
})

/** Messages of a bank whose texts are kept, the newest first. */
export const listKept = query('list_kept_phone_messages', {
  planned: 'each-time',
  parameters: { bank: text, since: uuid, before: nullable(uuid), limit: integer },
  row: { id: uuid, phoneId: uuid, receivedAt: instant, state: word<MessageState>(), contentSealed: text },
  text: `select :row from phone_messages
    where bank = :bank and content_sealed is not null and id >= :since and (:before is null or id < :before)
    order by id desc limit :limit`,
})

/** Messages of a bank that wait because no template has read them, the oldest first. */
export const listUnread = query('list_unread_phone_messages', {
  planned: 'each-time',
  parameters: { bank: text, after: nullable(uuid), limit: integer },
  row: { id: uuid, phoneId: uuid, contentSealed: text },
  text: `select :row from phone_messages
    where is_open and state = 'waiting' and reason = 'unknown-text' and bank = :bank and content_sealed is not null
      and (:after is null or id > :after)
    order by id limit :limit`,
})

/** Those of some messages that still wait unread; others that decide about them wait. */
export const lockUnread = query('lock_unread_phone_messages', {
  parameters: { ids: array(uuid) },
  row: { id: uuid },
  text: `select :row from phone_messages where id = any(:ids) and state = 'waiting' and reason = 'unknown-text'
    order by id for update`,
})

/** Banks whose waiting messages must be read once more: since a template is used, other processes may have read without it. */
export const listBehind = query('list_message_templates_behind', {
  parameters: { before: instant },
  row: { id: uuid, bank: text },
  text: `select :row from message_templates
    where used_since < :before and caught_up_at is null and withdrawn_at is null order by id limit 100`,
})

export const markCaughtUp = templates.update('mark_message_template_caught_up', { caughtUpAt: instant })

/** Lets what a withdrawn template has read wait again, but for money that was recorded, and texts that were deleted. */
export const forgetReadings = query('forget_readings_of_message_template', {
  parameters: { id: uuid },
  row: { id: uuid },
  text: `update phone_messages set kind = 'unknown', template_id = null, currency = null, amount = null, balance = null,
      digits = null, earliest_at = null, same_as = null, moved = null, follows = null, gap = null, is_doubtful = false,
      requisite_id = null, state = 'waiting', reason = 'unknown-text'
    where template_id = :id and state in ('waiting', 'noted', 'same') and resolved_by is null and content_sealed is not null
    returning id`,
})

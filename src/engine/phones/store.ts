import {
  array,
  bigint,
  boolean,
  instant,
  integer,
  jsonb,
  nullable,
  query,
  table,
  text,
  uuid,
  word,
} from 'payin-database'
import type { MessageReason, MessageState, PhoneApp, PhoneRequisite, PhoneState } from '../../rules/phones/phone.ts'

const settings = {
  requisites: jsonb<readonly PhoneRequisite[]>(),
  /** Up to how many USDT within 24 hours its messages credit without a person. */
  dailyLimit: bigint,
  /** Whether the balances in its messages are compared. */
  checksBalance: boolean,
  /** After how many minutes of silence somebody must look; null: never. */
  silentMinutes: nullable(integer),
  state: word<PhoneState>(),
  /** The operator who alone added or changed it, until another one approves it. */
  changedBy: nullable(text),
  secretPrefix: text,
}
const secret = { secretSealed: text }

const phoneRow = {
  id: uuid,
  name: text,
  app: word<PhoneApp>(),
  ...settings,
  /** Per cent, if the app says so. */
  battery: nullable(integer),
  droppedCodes: bigint,
  droppedOthers: bigint,
  createdAt: instant,
  lastSeenAt: nullable(instant),
}

export const selectPhones = query('list_phones', {
  row: phoneRow,
  text: `select :row from phones where state <> 'removed' order by name`,
})

const phones = table('phones', { id: uuid })

const phoneById = phones.findAndLock('phone', { ...phoneRow, ...secret })

export const findPhone = phoneById.find

/** The same, locked: changes of a phone, and its messages, come one after another. */
export const lockPhone = phoneById.lock

export const insertPhone = query('insert_phone', {
  parameters: { id: uuid, name: text, app: word<PhoneApp>(), ...settings, ...secret, createdAt: instant },
  row: { id: uuid },
  text: `insert into phones (:fields) values (:values) on conflict do nothing returning id`,
})

export const updatePhoneRow = phones.update('update_phone', { ...settings, ...secret })

export const touchPhone = query('touch_phone', {
  parameters: { id: uuid, at: instant, battery: nullable(integer), codes: bigint, others: bigint },
  text: `update phones set last_seen_at = :at, battery = coalesce(:battery, battery),
      dropped_codes = dropped_codes + :codes, dropped_others = dropped_others + :others
    where id = :id`,
})

const changing = {
  moved: nullable(bigint),
  follows: nullable(uuid),
  gap: nullable(bigint),
  isDoubtful: boolean,
  requisiteId: nullable(uuid),
  state: word<MessageState>(),
  reason: nullable(word<MessageReason>()),
  transferId: nullable(uuid),
}

const read = {
  kind: text,
  /** The taught template that has read it. */
  templateId: nullable(uuid),
  currency: nullable(text),
  amount: nullable(bigint),
  balance: nullable(bigint),
  digits: nullable(text),
  bookedAt: nullable(instant),
  earliestAt: nullable(instant),
  sameAs: nullable(uuid),
}

const facts = {
  channel: word<'sms' | 'push'>(),
  sim: nullable(text),
  bank: text,
  ...read,
  ...changing,
}

const likeness = { contentIndex: text, occurrence: nullable(text) }
/** What is kept of a message, but for its text. */
export type StoredMessage = ReturnType<typeof listMessagesOf.decode>

const messageRow = { id: uuid, phoneId: uuid, receivedAt: instant, ...facts }

const phoneMessages = table('phone_messages', { id: uuid })

export const insertMessages = phoneMessages.insertAll('insert_phone_messages', {
  ...messageRow,
  ...likeness,
  contentSealed: text,
})

export const listAlike = query('list_alike_phone_messages', {
  parameters: { phoneId: uuid, contentIndexes: array(text) },
  row: { id: uuid, ...likeness, bookedAt: nullable(instant) },
  text: `select :row from phone_messages where phone_id = :phoneId and content_index = any(:contentIndexes)
    order by id desc limit 10000`,
})

/**
 * What the newest messages of requisites' accounts have said since a time, and those that wait for the one before them,
 * whatever their age; in the order in which they came.
 */
export const listMessagesOf = query('list_phone_messages_of_requisites', {
  parameters: { requisiteIds: array(uuid), since: uuid },
  row: messageRow,
  text: `select compared.:row from unnest(:requisiteIds) as wanted (requisite_id) cross join lateral (
      (select id from phone_messages
        where requisite_id = wanted.requisite_id and id >= :since order by id desc limit 300)
      union (select id from phone_messages
        where requisite_id = wanted.requisite_id and reason = 'balance' order by id limit 300)
    ) as chosen join phone_messages as compared on compared.id = chosen.id order by compared.id`,
})

export const updateMessages = phoneMessages.updateAll('update_phone_messages', changing)

/** Messages that were read again. */
export const updateReadings = phoneMessages.updateAll('update_readings_of_phone_messages', { ...read, ...changing })

export const resolveMessage = phoneMessages.update('resolve_phone_message', { resolvedBy: text, resolvedAt: instant })

const withContent = { ...messageRow, contentSealed: nullable(text), resolvedBy: nullable(text) }

const messageById = phoneMessages.findAndLock('phone_message', withContent)

export const findMessage = messageById.find
export const lockMessage = messageById.lock

export const listMessagesById = query('list_phone_messages_by_id', {
  parameters: { ids: array(uuid) },
  row: withContent,
  text: `select :row from phone_messages where id = any(:ids) order by id`,
})

export const listOverdue = query('list_requisites_of_overdue_phone_messages', {
  parameters: { before: instant, limit: integer },
  row: { requisiteId: nullable(uuid) },
  text: `select distinct requisite_id from phone_messages
    where is_open and state = 'waiting' and reason = 'balance' and received_at < :before and requisite_id is not null limit :limit`,
})

export const selectMessages = phoneMessages.page('list_phone_messages', withContent, {
  filter: { phoneId: nullable(uuid), open: boolean },
  where: '(:phoneId is null or phone_id = :phoneId) and (not :open or is_open)',
})

/** Deletes what banks have written in the oldest messages from before a time; what was read from it stays. */
export const deleteContents = query('delete_contents_of_phone_messages', {
  parameters: { before: instant, limit: integer },
  row: { id: uuid },
  text: `update phone_messages set content_sealed = null where id in (
      select id from phone_messages where content_sealed is not null and received_at < :before
      order by received_at limit :limit)
    returning id`,
})

/** How many messages of each phone wait for a person, or build on one whose balance nobody has confirmed. */
export const countWaitingMessages = query('count_waiting_phone_messages', {
  row: { phoneId: uuid, count: integer },
  text: `select phone_id, count(*)::integer as count from phone_messages where is_open group by phone_id`,
})

// What apps on phones send, as docs/phones.md lists it: the form is recognised by its fields.
import type { ForwardedMessage } from '../../rules/phones/phone.ts'
import { refuseField } from '../../rules/refusal.ts'
import type { Instant } from '../../rules/time.ts'

/** What a request brings: messages, or none where the app only says that it is alive. */
export type Payload = { readonly messages: readonly ForwardedMessage[]; readonly battery: number | null }

type Fields = Readonly<Record<string, unknown>>

/** Most messages in one request. */
const maxMessages = 100

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A field that the app could not fill has its name: `{not_title}`, `%antitle`, `[title]`, `{{TITLE}}`. */
const isPlaceholder = (text: string): boolean => /^(?:\{\{?\w+\}?\}|%\w+%?|\[\w+\])$/.test(text)

/** The first of some fields that has a value. */
const first = (fields: Fields, ...names: readonly string[]): string | null => {
  for (const name of names) {
    const value = fields[name]
    if (typeof value !== 'string' && typeof value !== 'number') continue
    const text = String(value)
    if (text.trim() !== '' && !isPlaceholder(text.trim())) return text
  }
  return null
}

/** Numbers from here on are milliseconds. */
const leastMs = 100_000_000_000

/** The time of a field: seconds or milliseconds since 1970, or ISO 8601 with an offset. Others are in no known zone. */
const readTime = (text: string | null): Instant | null => {
  if (text === null) return null
  if (/^\d{9,13}$/.test(text)) return Number(text) >= leastMs ? Number(text) : Number(text) * 1000
  const at = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/.test(text)
    ? Date.parse(text)
    : NaN
  return Number.isNaN(at) ? null : at
}

const isPackage = (text: string | null): text is string => text !== null && /^[a-z]\w*(?:\.\w+)+$/i.test(text)

const localTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** The text of SmsForwarder's own form: between the sender, and the card, the time and the name of the phone. */
const readLines = (content: string, from: string | null): { readonly text: string; readonly time: string | null } => {
  const lines = content.split('\n')
  const at = lines.findLastIndex((line) => localTime.test(line.trim()))
  if (at < 3 || lines[0]?.trim() !== from?.trim()) return { text: content, time: null }
  return { text: lines.slice(1, at - 1).join('\n'), time: lines[at]?.trim() ?? null }
}

const cutTo = (text: string | null, length: number): string | null =>
  text?.replace(/\p{Cc}/gu, ' ').slice(0, length) ?? null

/** SMS Gateway wraps what it sends: only received SMS have a message. */
const readSmsGate = (fields: Fields, payload: Fields): ForwardedMessage | null => {
  const text = first(payload, 'message')
  if (fields['event'] !== 'sms:received' || text === null) return null
  const receivedAt = first(payload, 'receivedAt')
  return {
    ...{ channel: 'sms', package: null, title: null, text, sentAt: null },
    sender: first(payload, 'sender', 'phoneNumber'),
    receivedAt: readTime(receivedAt),
    sim: first(payload, 'simNumber'),
    occurrence: cutTo(receivedAt ?? first(fields, 'id'), 100),
  }
}

const readFields = (fields: Fields): ForwardedMessage | null => {
  const from = first(fields, 'from')
  const sim = first(fields, 'sim')
  const app = [first(fields, 'package', 'packageName', 'app'), from, sim].find(isPackage) ?? null
  const sms = first(fields, 'sms_text', 'org_content')
  const content = first(fields, 'content')
  // SmsForwarder: its timestamp is that of the attempt.
  const isOfAttempt = from !== null && (content !== null || fields['org_content'] !== undefined)
  const lines = isOfAttempt && sms === null && content !== null ? readLines(content, from) : null
  const text = sms ?? lines?.text ?? first(fields, 'big_text', 'bigText', 'message', 'text', 'content', 'notification')
  if (text === null) return null
  const sender = first(fields, 'fromNumber', 'number', 'sender') ?? (from === app ? null : from)
  const isTitle = app !== null && app === sim
  const title = isTitle ? from : first(fields, 'title', 'header')
  const isPush = app !== null || (sender === null && title !== null)
  const sent = isOfAttempt ? null : first(fields, 'sentStamp', 'post_time', 'posted', 'timestamp', 'date')
  const received = first(fields, 'receivedStamp', ...(isOfAttempt ? ['timestamp'] : []))
  const said = isOfAttempt ? (first(fields, 'receive_time') ?? lines?.time ?? null) : (sent ?? received)
  const card = isPush ? null : (sim ?? first(fields, 'card_slot'))
  return {
    channel: isPush ? 'push' : 'sms',
    sender: isPush ? null : sender,
    package: app,
    title: isPush ? title : null,
    text,
    sentAt: readTime(sent),
    receivedAt: readTime(received),
    sim: card === 'undetected' ? null : card,
    occurrence: cutTo(said ?? first(fields, 'messageId', 'seq'), 100),
  }
}

const readBattery = (fields: Fields): number | null => {
  const { health } = isFields(fields['payload']) ? fields['payload'] : {}
  const { checks } = isFields(health) ? health : {}
  const level = isFields(checks) ? checks['battery:level'] : undefined
  const value = Number(isFields(level) ? level['observedValue'] : (first(fields, 'battery') ?? NaN))
  return Number.isInteger(value) && value >= 0 && value <= 100 ? value : null
}

const isSign = (fields: Fields): boolean =>
  ['system:ping', 'app:started', 'ping', 'heartbeat'].includes(String(fields['event'])) ||
  fields['heartbeat'] !== undefined

/**
 * Reads the fields of a body: one message, an array of them, or `{ messages: […] }`. Refuses `validation_failed` if there
 * is neither a message nor a sign of life.
 */
export const readPayload = (body: unknown): Payload => {
  const listed = isFields(body) && Array.isArray(body['messages']) ? body['messages'] : body
  const all = Array.isArray(listed) ? listed : [listed]
  if (all.length > maxMessages) throw refuseField('messages', `has more than ${maxMessages}.`)
  const messages: ForwardedMessage[] = []
  let battery: number | null = null
  for (const fields of all) {
    if (!isFields(fields)) throw refuseField('messages', 'has something that is not an object.')
    battery = readBattery(fields) ?? battery
    const { payload } = fields
    const message = isFields(payload) ? readSmsGate(fields, payload) : readFields(fields)
    if (message) messages.push(message)
    else if (!isFields(payload) && !isSign(fields))
      throw refuseField('text', 'is missing, or the app has not filled it.')
  }
  return { messages, battery }
}

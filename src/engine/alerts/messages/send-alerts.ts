import type { Context } from '../../context.ts'
import { alertRetryMs, longestRetryMs } from '../../../rules/notices/alert.ts'
import { alertBody, composeAlert, type AlertText, type Say, testAlert } from '../../../rules/notices/alert-message.ts'
import { day, minute, planBounds } from '../../../rules/time.ts'
import { listChannels, type StoredChannel, channelSecret, getChannel } from '../channels/channel.ts'
import { updateHealth } from '../channels/store.ts'
import { deleteOldIncidents } from '../store.ts'
import { correctMessages, deleteOldMessages, finishAttempts, leaseMessages, listNotices } from './store.ts'
import { isDelivered } from '../../../rules/notices/delivery.ts'
import { isLoopback } from '../../../rules/notices/endpoint.ts'
import { webhookKey } from '../../../secrets/webhook-secret.ts'

const batchSize = 20
/** Longer than any attempt takes: after that another node may try, because this one has died. */
const leaseMs = 2 * minute

type Leased = { readonly id: string; readonly channelId: string; readonly attempts: number; readonly createdAt: number }

/**
 * Sends the messages that are due, one for each channel, and writes the results; returns how many it tried. If a node
 * leases a message and does not finish, another one sends it again, under the same id.
 */
export const sendAlerts = async (context: Context): Promise<number> => {
  const now = context.clock()
  const leaseId = context.newId()
  const leased = await context.query(leaseMessages, { now, leaseId, until: now + leaseMs, limit: batchSize })
  if (leased.length === 0) return 0
  const channels = new Map((await listChannels(context)).map((channel) => [channel.id, channel]))
  const notices = await context.query(listNotices, { messageIds: leased.map(({ id }) => id) })
  const ended = await Promise.all(
    leased.map(async (message) => {
      const channel = channels.get(message.channelId)
      const about = notices.filter(({ messageId }) => messageId === message.id)
      return channel ? attempt(context, channel, message, about) : { message, error: 'removed' as const }
    }),
  )
  const endedAt = context.clock()
  await context.transaction(async (tx) => {
    const rows = ended.map(({ message, error }) => stateAfter(context, message, error, endedAt))
    await tx.query(finishAttempts, { leaseId, now: endedAt, rows })
    const health = ended.map(({ message, error }) => ({ id: message.channelId, error }))
    await tx.query(updateHealth, { now: endedAt, rows: health })
  })
  return leased.length
}

const attempt = async (
  context: Context,
  channel: StoredChannel,
  message: Leased,
  notices: Parameters<typeof composeAlert>[0],
): Promise<{ readonly message: Leased; readonly error: string | null }> => {
  const compose = (say?: Say) => composeAlert(notices, message.id, context.settings.publicUrl, say)
  // The programs to which webhooks lead always read English.
  const body = alertBody(message.id, compose(), notices, message.createdAt)
  const text = compose(context.say)
  return { message, error: await sendThrough(context, channel, { ...text, id: message.id, body }) }
}

const stateAfter = (context: Context, { id, attempts, createdAt }: Leased, error: string | null, now: number) => {
  if (error === null) return { id, state: 'sent', dueAt: null, error }
  const pauseMs = alertRetryMs(attempts, now - createdAt)
  context.log.warn({ messageId: id, attempts, error, again: pauseMs !== null }, 'an alert was not accepted')
  return pauseMs === null
    ? { id, state: 'failed', dueAt: null, error }
    : { id, state: 'pending', dueAt: now + pauseMs, error }
}

/** Lets messages come now that a clock that was ahead would hold up; returns how many. */
export const bringMessagesBack = async (context: Context): Promise<number> =>
  (await context.query(correctMessages, planBounds(context.clock(), longestRetryMs))).length

/** Deletes messages and incidents that ended long ago; returns how many. */
export const cleanAlerts = async (context: Context): Promise<number> => {
  const before = context.clock() - context.settings.notificationRetentionDays * day
  const limit = 1000
  const messages = await context.query(deleteOldMessages, { before, limit })
  const incidents = await context.query(deleteOldIncidents, { before, limit })
  return messages.length + incidents.length
}

/** A message to send, the same for every attempt. */
export type OutgoingAlert = AlertText & {
  /** Lets a receiver recognise a message that arrives twice. */
  readonly id: string
  readonly body: string
}

const maxAnswerBytes = 64 * 1024

type Sender = (context: Context, channel: StoredChannel, message: OutgoingAlert) => Promise<string | null>

const secretOf = ({ vault }: Context, { id, secretSealed }: StoredChannel): string =>
  channelSecret.open(vault, id, secretSealed ?? '')

const sendMail: Sender = async ({ mail }, { target }, { id, subject, text }) =>
  mail
    ? ((await mail.send({ id, to: target.to ?? [], subject, text }))?.reason ?? null)
    : 'there is no mail server (PAYIN_SMTP_URL)'

const descriptionOf = (body: string): string => {
  try {
    const { description } = JSON.parse(body) as { description?: unknown }
    return typeof description === 'string' ? `: ${description.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').slice(0, 200)}` : ''
  } catch {
    return ''
  }
}

const sendTelegram: Sender = async (context, channel, { text }) => {
  const base = context.settings.telegramUrl
  const answer = await context.web.request({
    method: 'POST',
    // Telegram requires the token in the address, which therefore appears in no log and no error.
    url: `${base}/bot${secretOf(context, channel)}/sendMessage`,
    reach: isLoopback(new URL(base).hostname) ? 'loopback' : 'public',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: channel.target.chatId, text, link_preview_options: { is_disabled: true } }),
    maxBytes: maxAnswerBytes,
  })
  if ('error' in answer) return answer.error
  return answer.status === 200 ? null : `HTTP ${answer.status}${descriptionOf(answer.body)}`
}

const sendWebhook: Sender = async (context, channel, { id, body }) => {
  const outcome = await context.webhooks.send({
    url: channel.target.url ?? '',
    reach: context.settings.outboundLoopback ? 'loopback' : 'public',
    keys: [webhookKey(secretOf(context, channel))],
    id,
    body,
    traceparent: `00-${id.replaceAll('-', '')}-${context.newId().replaceAll('-', '').slice(-16)}-01`,
  })
  if (isDelivered(outcome)) return null
  return outcome.httpStatus === null ? (outcome.error ?? 'failed') : `HTTP ${outcome.httpStatus}`
}

const senders = { email: sendMail, telegram: sendTelegram, webhook: sendWebhook } as const

/** Sends a message through a channel, once; returns why it was not accepted, or `null`. Never throws. */
const sendThrough = async (
  context: Context,
  channel: StoredChannel,
  message: OutgoingAlert,
): Promise<string | null> => {
  try {
    return await senders[channel.kind](context, channel, message)
  } catch (error) {
    context.log.warn({ err: error, channel: channel.name }, 'an alert could not be sent')
    return 'failed'
  }
}

export type ChannelTest = { readonly id: string; readonly error: string | null }

/** Sends a test through a channel now, even one that is switched off; refuses `resource_not_found`. */
export const testChannel = async (context: Context, channelId: string): Promise<ChannelTest> => {
  const channel = await getChannel(context, channelId)
  const id = context.newId()
  const now = context.clock()
  const compose = (say?: Say) => testAlert(channel.name, id, context.settings.publicUrl, say)
  const body = alertBody(id, compose(), [], now)
  const text = compose(context.say)
  const error = await sendThrough(context, channel, { ...text, id, body })
  await context.query(updateHealth, { now: context.clock(), rows: [{ id: channelId, error }] })
  return { id, error }
}

import type { Context } from '../../context.ts'
import { type AlertText, alertBody, testAlert } from '../../../rules/notices/alert-message.ts'
import { isDelivered } from '../../../rules/notices/delivery.ts'
import { isLoopback } from '../../../rules/notices/endpoint.ts'
import { webhookKey } from '../../../secrets/webhook-secret.ts'
import { openChannelSecret, type StoredChannel, getChannel } from '../channels/channel.ts'
import { updateHealth } from '../channels/store.ts'

/** A message to send, the same for every attempt. */
export type OutgoingAlert = AlertText & {
  /** Lets a receiver recognise a message that arrives twice. */
  readonly id: string
  readonly body: string
}

const maxAnswerBytes = 64 * 1024

type Sender = (context: Context, channel: StoredChannel, message: OutgoingAlert) => Promise<string | null>

const secretOf = ({ vault }: Context, { id, secretSealed }: StoredChannel): string =>
  openChannelSecret(vault, id, secretSealed ?? '')

const sendMail: Sender = async ({ mail }, { target }, { id, subject, text }) =>
  mail ? mail.send({ id, to: target.to ?? [], subject, text }) : 'there is no mail server (PAYIN_SMTP_URL)'

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
export const sendThrough = async (
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
  const text = testAlert(channel.name, id, context.settings.publicUrl)
  const error = await sendThrough(context, channel, { ...text, id, body: alertBody(id, text, [], now) })
  await context.query(updateHealth, { now: context.clock(), rows: [{ id: channelId, error }] })
  return { id, error }
}

import type { Context } from '../../context.ts'
import { alertRetryMs, longestRetryMs } from '../../../rules/notices/alert.ts'
import { alertBody, composeAlert } from '../../../rules/notices/alert-message.ts'
import { day, minute, planBounds } from '../../../rules/time.ts'
import { listChannels, type StoredChannel } from '../channels/channel.ts'
import { updateHealth } from '../channels/store.ts'
import { deleteOldIncidents } from '../store.ts'
import { sendThrough } from './send-through.ts'
import { correctMessages, deleteOldMessages, finishAttempts, leaseMessages, listNotices } from './store.ts'

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
  const text = composeAlert(notices, message.id, context.settings.publicUrl)
  const body = alertBody(message.id, text, notices, message.createdAt)
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

import type { Tx } from '../../context.ts'
import { messageToJoin, noticeDueAt, type WaitingMessage } from '../../../rules/notices/alert.ts'
import type { NoticeKind } from '../../../rules/notices/alert-message.ts'
import { lockChannels } from '../channels/store.ts'
import { bringForward, insertMessages, insertNotices, listNoticedChannels, lockWaitingMessages } from './store.ts'

/** The key on the change bus that announces messages. */
export const alertsKey = 'alerts'

export type NewNotice = {
  readonly incidentId: string
  readonly kind: NoticeKind
  readonly summary: string
  readonly command: string
  readonly urgent: boolean
  /** The channels of its rule; `null` for all. The end of an incident goes to the channels that got its beginning. */
  readonly channelIds: readonly string[] | null
}

type Channel = Pick<ReturnType<typeof lockChannels.decode>, 'id' | 'quietHours'>

/**
 * Queues notices of incidents, in the transaction that changes them. Notices of a channel that are due within the same
 * minute, or at the same end of quiet hours, are sent as one message.
 */
export const queueNotices = async (tx: Tx, notices: readonly NewNotice[]): Promise<void> => {
  if (notices.length === 0) return
  const channels = (await tx.query(lockChannels, {})).filter(({ enabled }) => enabled)
  if (channels.length === 0) return
  const closed = notices.filter(({ kind }) => kind === 'closed').map(({ incidentId }) => incidentId)
  const noticed = closed.length === 0 ? [] : await tx.query(listNoticedChannels, { incidentIds: closed })
  const wasNoticed = new Set(noticed.map(({ incidentId, channelId }) => `${incidentId} ${channelId}`))
  const concerns = ({ kind, incidentId, channelIds }: NewNotice, { id }: Channel): boolean =>
    kind === 'closed' ? wasNoticed.has(`${incidentId} ${id}`) : channelIds === null || channelIds.includes(id)
  const waiting: WaitingMessage[] = await tx.query(lockWaitingMessages, {})
  const known = waiting.length
  const rows = channels.flatMap((channel) =>
    notices
      .filter((notice) => concerns(notice, channel))
      .map((notice) => {
        const messageId = findMessage(tx, waiting, channel, notice.urgent)
        const { incidentId, kind, summary, command } = notice
        return { messageId, incidentId, kind, summary, command, at: tx.now }
      }),
  )
  await tx.query(insertMessages, { now: tx.now, rows: waiting.slice(known) })
  await tx.query(bringForward, { rows: waiting.slice(0, known) })
  await tx.query(insertNotices, { rows })
  tx.afterCommit(() => tx.changes.publish([alertsKey]))
}

/** The message of a channel that a notice joins; adds a new one to `waiting`, or changes one to be due sooner. */
const findMessage = (tx: Tx, waiting: WaitingMessage[], { id: channelId, quietHours }: Channel, urgent: boolean) => {
  const dueAt = noticeDueAt(quietHours, urgent, tx.now)
  const joined = messageToJoin(waiting, channelId, dueAt, tx.now)
  if (!joined) {
    const id = tx.newId()
    waiting.push({ id, channelId, dueAt })
    return id
  }
  waiting[waiting.indexOf(joined)] = { ...joined, dueAt: Math.min(joined.dueAt, dueAt) }
  return joined.id
}

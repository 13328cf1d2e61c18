import type { Context, Tx } from '../context.ts'
import {
  type AlertFinding,
  type AlertIncident,
  type AlertRule,
  type AlertRuleName,
  alertRuleKinds,
  alertRuleNames,
  compareFindings,
  isReminderDue,
  withDefaults,
  messageToJoin,
  noticeDueAt,
  type WaitingMessage,
} from '../../rules/notices/alert.ts'
import { findings } from '../attention/findings.ts'
import type { Instant } from '../../rules/time.ts'
import {
  beginChecks,
  closeIncidents,
  insertIncidents,
  insertRules,
  listOpenIncidents,
  lockCheckedRules,
  selectRules,
  updateIncidents,
} from './store.ts'
import type { NoticeKind } from '../../rules/notices/alert-message.ts'
import { lockChannels } from './channels/store.ts'
import {
  bringForward,
  insertMessages,
  insertNotices,
  listNoticedChannels,
  lockWaitingMessages,
} from './messages/store.ts'

type Found = { readonly rule: AlertRule; readonly findings: readonly AlertFinding[] }

/**
 * Checks the rules that are due, opens incidents for their findings, closes those that have ended, and queues the
 * messages about both; returns how many incidents it opened, closed or reported again. Only one node checks a rule.
 * Rules that read much are checked separately, so that the others do not wait for them.
 */
export const evaluateAlerts = async (context: Context, pace: 'quick' | 'slow'): Promise<number> => {
  const now = context.clock()
  const checkId = context.newId()
  const names = alertRuleNames.filter((name) => (alertRuleKinds[name].everyMs === 0) === (pace === 'quick'))
  const rules = await beginDueChecks(context, names, checkId, now)
  const found: Found[] = []
  for (const rule of rules) {
    try {
      found.push({ rule, findings: await findings[rule.name](context, rule, now) })
    } catch (error) {
      // A rule whose query fails must not hold up the others.
      context.log.warn({ err: error, rule: rule.name }, 'a rule for alerts could not be checked')
    }
  }
  return found.length === 0 ? 0 : context.transaction((tx) => writeIncidents(tx, checkId, found))
}

const beginDueChecks = async (
  context: Context,
  names: readonly AlertRuleName[],
  checkId: string,
  now: Instant,
): Promise<AlertRule[]> => {
  const known = new Map((await context.query(selectRules, {})).map((row) => [row.name, row.checkedAt]))
  const missing = names.filter((name) => !known.has(name)).map((name) => ({ name }))
  if (missing.length > 0) {
    await context.query(insertRules, { checkId, checkedAt: startOf(missing, now), rows: missing })
    return beginDueChecks(context, names, checkId, now)
  }
  const due = names.flatMap((name) => {
    const checkedAt = known.get(name) ?? 0
    const everyMs = Math.max(context.settings.alertCheckMs, alertRuleKinds[name].everyMs)
    // If the clock was set back, the last check counts as old.
    return Math.abs(now - checkedAt) >= everyMs ? [{ name, checkedAt }] : []
  })
  if (due.length === 0) return []
  const begun = await context.query(beginChecks, { checkId, now, rows: due })
  return begun.map(({ name, settings }) => withDefaults(name, settings)).filter(({ enabled }) => enabled)
}

/** Rarely checked rules have their first check one interval after the first start, the others immediately. */
const startOf = (rules: readonly { readonly name: AlertRuleName }[], now: Instant): Instant =>
  rules.some(({ name }) => alertRuleKinds[name].everyMs > 0) ? now : 0

const writeIncidents = async (tx: Tx, checkId: string, found: readonly Found[]): Promise<number> => {
  const mine = new Set((await tx.query(lockCheckedRules, { checkId })).map(({ name }) => name))
  const counted = found.filter(({ rule }) => mine.has(rule.name))
  const open = await tx.query(listOpenIncidents, { rules: counted.map(({ rule }) => rule.name) })
  const notices: NewNotice[] = []
  for (const { rule, findings: each } of counted) {
    const ofRule = open.filter((incident) => incident.rule === rule.name)
    notices.push(...(await writeOfRule(tx, rule, each, ofRule)))
  }
  await queueNotices(tx, notices)
  return notices.length
}

const writeOfRule = async (
  tx: Tx,
  rule: AlertRule,
  found: readonly AlertFinding[],
  open: readonly AlertIncident[],
): Promise<NewNotice[]> => {
  const { opened, closed, kept } = compareFindings(open, found)
  const remindAt = rule.remindAfterMs === null ? null : tx.now + rule.remindAfterMs
  const rows = opened.map((finding) => ({ ...finding, id: tx.newId(), rule: rule.name, remindAt }))
  const inserted = rows.length === 0 ? [] : await tx.query(insertIncidents, { now: tx.now, rows })
  const isInserted = new Set(inserted.map(({ id }) => id))
  if (closed.length > 0) await tx.query(closeIncidents, { ids: closed.map(({ id }) => id), now: tx.now })
  const due = kept.filter((incident) => isReminderDue(incident, rule.remindAfterMs, tx.now))
  const isDue = new Set(due)
  const before = new Map(open.map((incident) => [incident.id, incident]))
  const changed = kept
    .map((incident) => (isDue.has(incident) ? { ...incident, remindAt } : incident))
    .filter(({ id, summary, remindAt: next }) => {
      const was = before.get(id)
      return was?.summary !== summary || was.remindAt !== next
    })
  if (changed.length > 0) await tx.query(updateIncidents, { rows: changed })
  if (opened.length + closed.length + changed.length > 0) tx.afterCommit(() => tx.changes.announce('alerts'))
  const noticesOf = (
    kind: NoticeKind,
    incidents: readonly Pick<AlertIncident, 'id' | 'summary' | 'command'>[],
  ): NewNotice[] => incidents.map(({ id, summary, command }) => ({ incidentId: id, kind, summary, command, rule }))
  const begun = rows.filter(({ id }) => isInserted.has(id))
  return [...noticesOf('opened', begun), ...noticesOf('reminder', due), ...noticesOf('closed', closed)]
}

/** The key on the change bus that announces messages. */
export const alertsKey = 'alerts'

type NewNotice = {
  readonly incidentId: string
  readonly kind: NoticeKind
  readonly summary: string
  readonly command: string
  readonly rule: Pick<AlertRule, 'urgent' | 'channelIds'>
}

type Channel = Pick<ReturnType<typeof lockChannels.decode>, 'id' | 'quietHours'>

/**
 * Queues notices of incidents, in the transaction that changes them. Notices of a channel that are due within the same
 * minute, or at the same end of quiet hours, are sent as one message.
 */
const queueNotices = async (tx: Tx, notices: readonly NewNotice[]): Promise<void> => {
  if (notices.length === 0) return
  const channels = (await tx.query(lockChannels, {})).filter(({ enabled }) => enabled)
  if (channels.length === 0) return
  const closed = notices.filter(({ kind }) => kind === 'closed').map(({ incidentId }) => incidentId)
  const noticed = closed.length === 0 ? [] : await tx.query(listNoticedChannels, { incidentIds: closed })
  const wasNoticed = new Set(noticed.map(({ incidentId, channelId }) => `${incidentId} ${channelId}`))
  // The end of an incident goes to the channels that got its beginning, and wakes nobody.
  const concerns = ({ kind, incidentId, rule: { channelIds } }: NewNotice, { id }: Channel): boolean =>
    kind === 'closed' ? wasNoticed.has(`${incidentId} ${id}`) : channelIds === null || channelIds.includes(id)
  const waiting: WaitingMessage[] = await tx.query(lockWaitingMessages, {})
  const known = waiting.length
  const rows = channels.flatMap((channel) =>
    notices
      .filter((notice) => concerns(notice, channel))
      .map((notice) => {
        const { incidentId, kind, summary, command, rule } = notice
        const messageId = findMessage(tx, waiting, channel, rule.urgent && kind !== 'closed')
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

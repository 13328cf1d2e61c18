import type { Context, Tx } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import {
  type AlertIncident,
  type AlertRule,
  alertRuleNames,
  type AlertRuleName,
  withDefaults,
  type AlertRuleSettings,
} from '../domain/alert.ts'
import { Refusal, refuseField } from '../domain/refusal.ts'
import {
  lockIncident,
  selectIncidents,
  selectRules,
  updateAnswer,
  closeIncidents,
  insertRules,
  listOpenIncidents,
  lockRule,
  updateRule,
} from './store.ts'
import type { Instant } from '../domain/time.ts'
import { selectChannels } from './channels/store.ts'

/** All rules as they are in force. */
export const listAlertRules = async (sql: Queryable): Promise<AlertRule[]> => {
  const set = new Map((await sql.query(selectRules, {})).map((row) => [row.name, row.settings]))
  return alertRuleNames.map((name) => withDefaults(name, set.get(name) ?? {}))
}

/** A page of incidents, the newest first; `open` keeps those that are open, or those that are over. */
export const listIncidents = (
  context: Context,
  page: {
    readonly open: boolean | null
    readonly rule: AlertRuleName | null
    readonly before: string | null
    readonly limit: number
  },
): Promise<AlertIncident[]> => context.query(selectIncidents, page)

/** An open incident, locked; refuses `resource_not_found`, and `invalid_state` for one that is over. */
export const lockOpenIncident = async (tx: Tx, id: string): Promise<AlertIncident> => {
  const [incident] = await tx.query(lockIncident, { id })
  if (!incident) throw new Refusal('resource_not_found', 'There is no such incident.')
  if (incident.closedAt !== null) throw new Refusal('invalid_state', 'The incident is over.')
  return incident
}

/**
 * Says that an operator knows of an open incident: it is not reported again, only its end. Said twice, the first one
 * counts. Refuses `resource_not_found`, and `invalid_state` for one that is over.
 */
export const acknowledgeIncident = async (tx: Tx, id: string, by: string): Promise<AlertIncident> => {
  const incident = await lockOpenIncident(tx, id)
  if (incident.acknowledgedAt !== null) return incident
  const answered = { ...incident, acknowledgedAt: tx.now, acknowledgedBy: by, remindAt: null }
  await tx.query(updateAnswer, answered)
  return answered
}

/**
 * Keeps an open incident from being reported again until a time; then it is, if it is still open. Refuses
 * `resource_not_found`, `invalid_state` for one that is over, and `validation_failed` for a time that is not to come.
 */
export const silenceIncident = async (tx: Tx, id: string, until: Instant, by: string): Promise<AlertIncident> => {
  if (until <= tx.now) throw refuseField('validation_failed', 'until', 'is not in the future.')
  const incident = await lockOpenIncident(tx, id)
  const remindAt = incident.acknowledgedAt === null ? until : null
  const answered = { ...incident, silencedUntil: until, silencedBy: by, remindAt }
  await tx.query(updateAnswer, answered)
  return answered
}

/**
 * Changes a rule; what is left out stays as it is. It is checked at once, and one that is switched off closes its incidents
 * without a message. Refuses `resource_not_found` for a channel that does not exist.
 */
export const setAlertRule = async (
  tx: Tx,
  name: AlertRuleName,
  change: Partial<AlertRuleSettings>,
): Promise<AlertRule> => {
  const checkId = tx.newId()
  await tx.query(insertRules, { checkId, checkedAt: 0, rows: [{ name }] })
  const [before] = await tx.query(lockRule, { name })
  const channels = new Set((await tx.query(selectChannels, {})).map(({ id }) => id))
  const unknown = change.channelIds?.find((id) => !channels.has(id))
  if (unknown !== undefined) throw new Refusal('resource_not_found', `There is no channel ${unknown}.`)
  const settings = { ...before?.settings, ...change }
  await tx.query(updateRule, { name, settings, checkId, checkedAt: 0 })
  const rule = withDefaults(name, settings)
  if (!rule.enabled) {
    const open = await tx.query(listOpenIncidents, { rules: [name] })
    await tx.query(closeIncidents, { ids: open.map(({ id }) => id), now: tx.now })
  }
  return rule
}

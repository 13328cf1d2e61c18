import type { Tx } from '../context.ts'
import { type Queryable, reader } from 'payin-database'
import {
  type AlertIncident,
  type AlertRule,
  alertRuleNames,
  type AlertRuleName,
  withDefaults,
  type AlertRuleSettings,
} from '../../rules/notices/alert.ts'
import { invalidState, Refusal, requireRow } from '../../rules/refusal.ts'
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
import { selectChannels } from './channels/store.ts'

/** All rules with their current settings. */
export const listAlertRules = async (sql: Queryable): Promise<AlertRule[]> => {
  const set = new Map((await sql.query(selectRules, {})).map((row) => [row.name, row.settings]))
  return alertRuleNames.map((name) => withDefaults(name, set.get(name) ?? {}))
}

/** A page of incidents, the newest first; `open` selects the open ones, or the closed ones. */
export const listIncidents = reader(selectIncidents)

/**
 * Acknowledges an open incident for an operator: no more reminders are sent, only the message about its end. The first
 * acknowledgement counts. Refuses `resource_not_found`, and `invalid_state` for a closed one.
 */
export const acknowledgeIncident = async (tx: Tx, id: string, by: string): Promise<AlertIncident> => {
  const incident = requireRow(await tx.query(lockIncident, { id }), 'incident')
  if (incident.closedAt !== null) throw invalidState('The incident is over.')
  if (incident.acknowledgedAt !== null) return incident
  const answered = { ...incident, acknowledgedAt: tx.now, acknowledgedBy: by, remindAt: null }
  await tx.query(updateAnswer, answered)
  return answered
}

/**
 * Changes a rule; omitted fields stay as they are. The rule is checked immediately; switching it off closes its
 * incidents without a message. Refuses `resource_not_found` for a channel that does not exist.
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

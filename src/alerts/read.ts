import type { Context, Tx } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import {
  type AlertIncident,
  type AlertRule,
  alertRuleNames,
  type AlertRuleName,
  withDefaults,
} from '../domain/alert.ts'
import { Refusal } from '../domain/refusal.ts'
import { lockIncident, selectIncidents, selectRules } from './store.ts'

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

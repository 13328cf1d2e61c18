import type { Tx } from '../context.ts'
import { type AlertRule, type AlertRuleName, type AlertRuleSettings, withDefaults } from '../domain/alert.ts'
import { Refusal } from '../domain/refusal.ts'
import { selectChannels } from './channels/store.ts'
import { closeIncidents, insertRules, listOpenIncidents, lockRule, updateRule } from './store.ts'

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

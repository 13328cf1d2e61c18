import { array, boolean, instant, integer, jsonb, nullable, query, table, text, uuid, word } from 'payin-database'
import type { AlertRuleName, AlertRuleSettings } from '../../rules/notices/alert.ts'

/** Every rule that was ever checked or set. */
export const selectRules = query('list_alert_rules', {
  row: { name: word<AlertRuleName>(), settings: jsonb<Partial<AlertRuleSettings>>(), checkedAt: instant },
  text: `select :row from alert_rules`,
})

export const insertRules = query('insert_alert_rules', {
  parameters: { checkId: uuid, checkedAt: instant },
  rows: { name: text },
  text: `insert into alert_rules (name, settings, checked_at, check_id)
    select name, '{}', :checkedAt, :checkId from :rows on conflict (name) do nothing`,
})

/** Begins a check of those rules whose check nobody has begun since they were read; returns them. */
export const beginChecks = query('begin_alert_checks', {
  parameters: { checkId: uuid, now: instant },
  rows: { name: text, checkedAt: instant },
  row: { name: word<AlertRuleName>(), settings: jsonb<Partial<AlertRuleSettings>>() },
  text: `update alert_rules set checked_at = :now, check_id = :checkId from :rows
    where alert_rules.name = input.name and alert_rules.checked_at = input.checked_at
    returning alert_rules.name, alert_rules.settings`,
})

const alertRules = table('alert_rules', { name: text })

/** Rules whose latest check is still the given one, locked: nobody else opens or closes their incidents. */
export const lockCheckedRules = table('alert_rules', { checkId: uuid }).select(
  'lock_checked_alert_rules',
  { name: word<AlertRuleName>() },
  'order by name for no key update',
)

export const lockRule = alertRules.select(
  'lock_alert_rule',
  { settings: jsonb<Partial<AlertRuleSettings>>() },
  'for no key update',
)

/** Sets a rule; a check under way no longer opens incidents by the old settings. */
export const updateRule = alertRules.update('update_alert_rule', {
  ...{ settings: jsonb<Partial<AlertRuleSettings>>(), checkId: uuid, checkedAt: instant },
})

const incidentAnswer = {
  acknowledgedAt: nullable(instant),
  acknowledgedBy: nullable(text),
  remindAt: nullable(instant),
}

const incidentRow = {
  id: uuid,
  rule: word<AlertRuleName>(),
  subject: text,
  summary: text,
  command: text,
  since: instant,
  openedAt: instant,
  closedAt: nullable(instant),
  ...incidentAnswer,
}

export const listOpenIncidents = query('list_open_alert_incidents', {
  parameters: { rules: array(text) },
  row: incidentRow,
  text: `select :row from alert_incidents where closed_at is null and rule = any(:rules)`,
})

/** A page of incidents, the newest first; `open` selects the open ones. */
const alertIncidents = table('alert_incidents', { id: uuid })

export const selectIncidents = alertIncidents.page('list_alert_incidents', incidentRow, {
  filter: { open: nullable(boolean), rule: nullable(text) },
  where: '(:open is null or (closed_at is null) = :open) and (:rule is null or rule = :rule)',
})

export const lockIncident = alertIncidents.select('lock_alert_incident', incidentRow, 'for no key update')

/** Opens incidents; one that is already open stays as it is and is not returned. */
export const insertIncidents = query('insert_alert_incidents', {
  parameters: { now: instant },
  rows: {
    id: uuid,
    rule: text,
    subject: text,
    summary: text,
    command: text,
    since: instant,
    remindAt: nullable(instant),
  },
  row: { id: uuid },
  text: `insert into alert_incidents (id, rule, subject, summary, command, since, opened_at, remind_at)
    select id, rule, subject, summary, command, since, :now, remind_at from :rows
    on conflict (rule, subject) where closed_at is null do nothing returning id`,
})

export const closeIncidents = query('close_alert_incidents', {
  parameters: { ids: array(uuid), now: instant },
  text: `update alert_incidents set closed_at = greatest(:now, opened_at), remind_at = null
    where id = any(:ids) and closed_at is null`,
})

export const updateIncidents = query('update_alert_incidents', {
  rows: { id: uuid, summary: text, command: text, remindAt: nullable(instant) },
  text: `update alert_incidents set summary = input.summary, command = input.command, remind_at = input.remind_at
    from :rows where alert_incidents.id = input.id and alert_incidents.closed_at is null`,
})

export const updateAnswer = alertIncidents.update('update_alert_incident_answer', incidentAnswer)

export const deleteOldIncidents = query('delete_old_alert_incidents', {
  parameters: { before: instant, limit: integer },
  row: { id: uuid },
  text: `delete from alert_incidents where id in (
      select id from alert_incidents where closed_at < :before
        and not exists (select from alert_notices where incident_id = alert_incidents.id) limit :limit
    ) returning id`,
})

import { type Static, Type } from 'typebox'
import { acknowledgeIncident } from '../../alerts/acknowledge-incident.ts'
import { listAlertRules, listIncidents } from '../../alerts/read.ts'
import { silenceIncident } from '../../alerts/silence-incident.ts'
import { setAlertRule } from '../../alerts/set-alert-rule.ts'
import {
  type AlertIncident,
  type AlertRule,
  alertRuleKinds,
  alertRuleNames,
  shortestReminderMs,
  thresholdBounds,
} from '../../domain/alert.ts'
import { day } from '../../domain/time.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { Exact, Id, IdParams, NoBody, OneOf, Time, Titled, wireFields, wireTime } from '../fields.ts'
import { pageOf, PageQuery, readPage } from '../paging.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

const RuleName = OneOf(alertRuleNames, {
  title: 'AlertRuleName',
  description: 'What an alert is about.',
  examples: ['inbox-waiting'],
})

const IncidentAnswer = Titled('Incident', {
  id: Id,
  rule: RuleName,
  subject: Type.String({ description: 'The thing that it is about.', examples: ['transfer:…'] }),
  summary: Type.String(),
  command: Type.String({ description: 'The command that shows it.' }),
  since: Time,
  openedAt: Time,
  closedAt: Type.Optional(Time),
  acknowledgedAt: Type.Optional(Time),
  acknowledgedBy: Type.Optional(Type.String()),
  silencedUntil: Type.Optional(Time),
  silencedBy: Type.Optional(Type.String()),
  remindAt: Type.Optional({ ...Time, description: 'When it is reported again, if it is still open.' }),
})

/** An incident. */
export type IncidentAnswer = Static<typeof IncidentAnswer>

const toIncident = (incident: AlertIncident): IncidentAnswer =>
  wireFields({ ...incident, since: wireTime(incident.since), silencedUntil: wireTime(incident.silencedUntil) })

const RuleAnswer = Titled('AlertRule', {
  name: RuleName,
  meaning: Type.String(),
  enabled: Type.Boolean(),
  threshold: Type.Optional(Type.Integer({ description: 'In its `unit`; absent for a rule without one.' })),
  unit: Type.Optional(OneOf(['ms', 'percent'])),
  urgent: Type.Boolean({ description: 'Its messages wait neither for others nor for the end of quiet hours.' }),
  remindAfterMs: Type.Optional(
    Type.Integer({ description: 'How long after a message an open incident is reported again; absent: never.' }),
  ),
  channelIds: Type.Optional(Type.Array(Id, { description: 'The channels that receive it; absent: all.' })),
})

/** A rule for alerts. */
export type AlertRuleAnswer = Static<typeof RuleAnswer>

const toRule = ({ name, threshold, channelIds, ...rule }: AlertRule): AlertRuleAnswer => {
  const { meaning, unit } = alertRuleKinds[name]
  return wireFields({
    name,
    meaning,
    ...rule,
    threshold: unit === null ? null : threshold,
    unit,
    channelIds: channelIds === null ? null : [...channelIds],
  })
}

/** Rules for alerts, and what they found. */
export const alertRoutes = routesForOperators()

alertRoutes.get('/alerts', {
  id: 'listAlerts',
  duty: 'read',
  summary: 'List incidents',
  description: 'The newest first.',
  query: {
    open: Type.Optional(OneOf(['true', 'false'], { description: 'Only those that are open, or those that are over.' })),
    rule: Type.Optional({ ...RuleName, description: 'Only incidents of this rule.' }),
    ...PageQuery,
  },
  answer: pageOf('incidents', IncidentAnswer),
  handle: (context, request) => {
    const { open, rule = null } = request.query
    const isOpen = open === undefined ? null : open === 'true'
    return readPage(
      'incidents',
      request.query,
      (span) => listIncidents(context, { open: isOpen, rule, ...span }),
      toIncident,
    )
  },
})

alertRoutes.post('/alerts/:id/acknowledge', {
  id: 'acknowledgeAlert',
  duty: 'support',
  summary: 'Say that you know of an open incident',
  description: 'It is not reported again, only its end.',
  params: IdParams,
  body: NoBody,
  answer: IncidentAnswer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const act = { action: 'alert.acknowledge', subject: `alert:${id}`, details: {} }
    return toIncident(await actOnBehalf(context, request, (tx) => acknowledgeIncident(tx, id, actorOf(request)), act))
  },
})

alertRoutes.post('/alerts/:id/silence', {
  id: 'silenceAlert',
  duty: 'support',
  summary: 'Keep an open incident quiet until a time',
  description: 'Then it is reported again, if it is still open and nobody has acknowledged it.',
  params: IdParams,
  body: { until: Time },
  answer: IncidentAnswer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const until = readBody((read) => read.instant(request.body.until, 'until'))
    const act = { action: 'alert.silence', subject: `alert:${id}`, details: request.body }
    const silence = actOnBehalf(context, request, (tx) => silenceIncident(tx, id, until, actorOf(request)), act)
    return toIncident(await silence)
  },
})

alertRoutes.get('/alert-rules', {
  id: 'listAlertRules',
  duty: 'read',
  summary: 'List the rules for alerts',
  description: 'With their thresholds and what they watch.',
  answer: { rules: Type.Array(RuleAnswer) },
  handle: async (context) => ({ rules: (await listAlertRules(context)).map(toRule) }),
})

alertRoutes.patch('/alert-rules/:name', {
  id: 'setAlertRule',
  duty: 'configure',
  summary: 'Change a rule for alerts',
  description: 'What is left out stays as it is. A rule that is switched off closes its incidents without a message.',
  params: Type.Object({ name: RuleName }),
  body: Exact(
    {
      enabled: Type.Optional(Type.Boolean()),
      threshold: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: thresholdBounds.ms[1],
          description: 'In milliseconds, at least a minute; of `requisite-limit` in percent.',
        }),
      ),
      urgent: Type.Optional(Type.Boolean()),
      remindAfterMs: Type.Optional(
        Type.Union([Type.Integer({ minimum: shortestReminderMs, maximum: 366 * day }), Type.Null()], {
          description: '`null`: never.',
        }),
      ),
      channelIds: Type.Optional(
        Type.Union([Type.Array(Id, { maxItems: 50 }), Type.Null()], { description: '`null`: all.' }),
      ),
    },
    { minProperties: 1 },
  ),
  answer: RuleAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { name } = request.params
    const { threshold } = request.body
    readBody((read) => {
      const { unit } = alertRuleKinds[name]
      if (threshold === undefined) return
      if (unit === null) return read.wrong('threshold', `is not of ${name}, which has none.`)
      const [least, most] = thresholdBounds[unit]
      if (threshold < least || threshold > most) read.wrong('threshold', `must be from ${least} to ${most}.`)
    })
    const act = { action: 'alert.rule-set', subject: `alert-rule:${name}`, details: request.body }
    return toRule(await actOnBehalf(context, request, (tx) => setAlertRule(tx, name, request.body), act))
  },
})

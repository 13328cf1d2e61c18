import { alertRuleNames, shortestReminderMs, thresholdBounds } from '../rules/notices/alert.ts'
import { day } from '../rules/time.ts'
import { Id, Time } from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { type Forms, presented, type Static, Type } from './schema.ts'

const RuleName = Type.OneOf(alertRuleNames, {
  title: 'AlertRuleName',
  description: 'What an alert is about.',
  examples: ['inbox-waiting'],
})

export const IncidentAnswer = Type.Titled('Incident', {
  id: Id,
  rule: RuleName,
  subject: Type.Text('What exactly it is about.', 'transfer:…'),
  summary: Type.String({ heading: 'What' }),
  command: presented(Type.Text('The `payin` command that shows it.'), { heading: 'Look' }),
  since: Time,
  openedAt: Time,
  'closedAt?': Time,
  'acknowledgedAt?': Time,
  'acknowledgedBy?': Type.String({ kind: 'person' }),
  'remindAt?': presented(Time, 'When it is reported again, if it is still open.'),
})
export type IncidentAnswer = Static<typeof IncidentAnswer>

const RuleAnswer = Type.Titled('AlertRule', {
  name: presented(RuleName, { heading: 'Rule' }),
  meaning: Type.String(),
  enabled: Type.Boolean(),
  'threshold?': Type.Whole('In its `unit`; absent for a rule without one.'),
  'unit?': Type.OneOf(['ms', 'percent']),
  urgent: Type.Flag('Its messages are not grouped with others and ignore quiet hours.'),
  'remindAfterMs?': presented(
    Type.Whole('How long after its last message an open incident is reported again; absent: never.'),
    { kind: 'span', heading: 'Again after', absent: 'never' },
  ),
  'channelIds?': Type.Array(Id, { description: 'The channels that receive it; absent: all.' }),
})
export type AlertRuleAnswer = Static<typeof RuleAnswer>

const RuleChange = Type.Exact(
  {
    'enabled?': Type.Flag('Whether the service watches for it.'),
    'threshold?': Type.Bounded(1, thresholdBounds.ms[1], {
      description: 'In milliseconds, at least a minute; for `requisite-limit` in percent.',
      kind: 'threshold',
    }),
    'urgent?': Type.Flag('Whether its messages are not grouped with others and ignore quiet hours.'),
    'remindAfterMs?': Type.OrNull(
      Type.Bounded(shortestReminderMs, 366 * day, { kind: 'span' }),
      'How often to report an open incident again, in milliseconds; `null` for never.',
    ),
    'channelIds?': Type.OrNull(Type.Array(Id, { maxItems: 50 }), '`null`: all.'),
  },
  { minProperties: 1 },
)

const showThreshold = ({ threshold, unit }: AlertRuleAnswer, { span }: Forms): string | undefined => {
  if (threshold === undefined) return undefined
  return unit === 'percent' ? `${threshold} %` : span(threshold)
}

const incidentColumns = [
  ...(['rule', 'summary', 'command', 'since'] as const),
  {
    heading: 'State',
    show: ({ closedAt, acknowledgedBy }: IncidentAnswer, { person, time }: Forms) => {
      if (closedAt !== undefined) return `over ${time(closedAt)}`
      return acknowledgedBy === undefined ? 'open' : `acknowledged by ${person(acknowledgedBy)}`
    },
  },
  'id',
] as const

export const alerts = {
  about: 'Incidents that need a person, and the rules and channels that report them.',
  examples: [
    'payin alerts                                          (what is open)',
    'payin alerts acknowledge inbox-waiting',
    'payin alerts channels email "on call" --to anna@example.com',
    'payin alerts rules set inbox-waiting --threshold 30m',
  ],
  usual: 'open',
  operations: {
    list: operation('GET /alerts', 'read', {
      id: 'listAlerts',
      summary: 'List incidents',
      description: 'Newest first.',
      query: {
        'open?': Type.OneOf(['true', 'false'], 'Only open, or only closed ones.'),
        'rule?': presented(RuleName, 'Only incidents of this rule.'),
        ...PageQuery,
      },
      answer: pageOf('incidents', IncidentAnswer),
      commands: {
        open: {
          about: 'List open incidents, newest first.',
          fixed: { open: 'true' },
          columns: incidentColumns,
          empty: 'No open incidents. All: payin alerts list. The rules: payin alerts rules',
        },
        list: {
          about: 'List open and closed incidents, newest first.',
          only: ['rule'],
          columns: incidentColumns,
          empty: 'No incidents. The rules: payin alerts rules',
        },
      },
    }),
    acknowledge: operation('POST /alerts/{id}/acknowledge', 'support', {
      id: 'acknowledgeAlert',
      summary: 'Acknowledge an open incident',
      description: 'It is not reported again until it closes.',
      answer: IncidentAnswer,
    }),
  },
} satisfies Noun<unknown>

export const alertRules = {
  about: 'Alert rules: the conditions that the service watches.',
  examples: [
    'payin alerts rules set inbox-waiting --threshold 30m --remind-after 4h',
    'payin alerts rules set requisite-limit --threshold 80% --channels team',
    'payin alerts rules set statement-missing --enabled no',
  ],
  usual: 'list',
  operations: {
    list: operation('GET /alert-rules', 'read', {
      id: 'listAlertRules',
      summary: 'List the rules for alerts',
      description: 'With their thresholds and what they watch.',
      answer: { rules: Type.Array(RuleAnswer) },
      exports: 'rules',
      command: {
        columns: [
          'name',
          { heading: 'State', show: ({ enabled }) => (enabled ? 'on' : 'off') },
          { heading: 'Threshold', show: showThreshold, kind: 'number' },
          ...(['urgent', 'remindAfterMs'] as const),
          {
            heading: 'Channels',
            show: ({ channelIds }) => (channelIds === undefined ? 'all' : String(channelIds.length)),
          },
          'meaning',
        ],
      },
    }),
    set: operation('PATCH /alert-rules/{name}', 'configure', {
      id: 'setAlertRule',
      summary: 'Change a rule for alerts',
      description: 'Omitted fields do not change. Switching a rule off closes its incidents without a message.',
      params: { name: RuleName },
      body: RuleChange,
      answer: RuleAnswer,
      command: {
        says: (rule, forms) => {
          const again = rule.remindAfterMs === undefined ? 'never' : `after ${forms.span(rule.remindAfterMs)}`
          return [
            `${rule.name} is ${rule.enabled ? 'on' : 'off'}${rule.urgent ? ' and urgent' : ''}: ${rule.meaning}`,
            ...(rule.threshold === undefined ? [] : [`Threshold: ${showThreshold(rule, forms)}.`]),
            `Reported again: ${again}. Channels: ${rule.channelIds?.join(', ') ?? 'all'}.`,
          ].join('\n')
        },
      },
    }),
  },
} satisfies Noun<unknown>

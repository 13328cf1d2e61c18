import type { AlertRuleAnswer, IncidentAnswer } from '../http/operator-api/alerts.ts'
import { alertChannelCommands, findChannelId } from './alert-channels.ts'
import { type Group, group, list, request } from './commands.ts'
import { Failure } from './failure.ts'
import { always, argument, flag, option, page, required, resolved } from './inputs.ts'
import { pickListed } from './pick-listed.ts'
import { type Columns, type Printed, printFields, printSpan, printTime } from './print-table.ts'
import type { Session } from './session.ts'
import { orNone, span, timeOrSpan, words } from './read-arguments.ts'

const stateOf = ({ closedAt, acknowledgedBy, silencedUntil }: IncidentAnswer): string => {
  if (closedAt !== undefined) return `over ${printTime(closedAt)}`
  if (acknowledgedBy !== undefined) return `known to ${acknowledgedBy}`
  return silencedUntil === undefined ? 'open' : `quiet until ${printTime(silencedUntil)}`
}

const columns: Columns<IncidentAnswer> = {
  RULE: 'rule',
  'WHAT~': 'summary',
  'LOOK~': 'command',
  SINCE: ({ since }) => printTime(since),
  'STATE~': stateOf,
  'ID#': 'id',
}

const mostOpen = '500'

/** The id of an open incident that is given by its rule, a part of its id, or as `last`. */
const findIncident = async (session: Session, typed: string): Promise<string> => {
  const asked = { open: 'true', limit: mostOpen }
  const { body } = await session.call<{ incidents: IncidentAnswer[] }>('GET /alerts', asked)
  const listed = body.incidents.map(({ id, rule, summary }) => ({ id, names: [rule], about: `${rule}: ${summary}` }))
  return pickListed(listed, typed, { kind: 'open incident', shownBy: 'payin alerts' })
}

const incident = {
  id: resolved(argument('<incident>', 'rule of the incident where it is the only one, id, or last'), findIncident),
}
const ruleOption = option('--rule <rule>', 'only of this rule')

const incidentCommands = {
  open: list({
    description: 'List what is open, the newest first.',
    request: 'GET /alerts',
    inputs: { open: always('true'), rule: ruleOption, ...page },
    rows: (answer: { incidents: IncidentAnswer[] }) => answer.incidents,
    empty: 'Nothing is open. What is over, too: payin alerts list. What is watched: payin alerts rules',
    columns,
  }),
  list: list({
    description: 'List what is open and what is over, the newest first.',
    request: 'GET /alerts',
    inputs: { rule: ruleOption, ...page },
    rows: (answer: { incidents: IncidentAnswer[] }) => answer.incidents,
    empty: 'No incidents. What is watched: payin alerts rules',
    columns,
  }),
  acknowledge: request({
    description: 'Say that you know of an open incident: it is not reported again, only its end.',
    request: 'POST /alerts/{id}/acknowledge',
    inputs: incident,
    body: () => ({}),
    print: ({ summary }: IncidentAnswer) => `Known: ${summary}`,
  }),
  silence: request({
    description: 'Keep an open incident quiet until a time, or for a span.',
    request: 'POST /alerts/{id}/silence',
    inputs: {
      ...incident,
      until: required('--until <time>', 'a time with its zone, or a span such as 8h', timeOrSpan),
    },
    body: async ({ until }, session) => ({
      until: typeof until === 'number' ? new Date(Date.parse(await session.now()) + until).toISOString() : until,
    }),
    print: ({ summary, silencedUntil }: IncidentAnswer) => `Quiet until ${printTime(silencedUntil)}: ${summary}`,
  }),
}

const printThreshold = ({ threshold, unit }: AlertRuleAnswer): string | undefined => {
  if (threshold === undefined) return undefined
  return unit === 'percent' ? `${threshold} %` : printSpan(threshold)
}

const printReminder = ({ remindAfterMs }: AlertRuleAnswer): string =>
  remindAfterMs === undefined ? 'never' : printSpan(remindAfterMs)

const describeRule = (rule: AlertRuleAnswer): Printed =>
  printFields({
    Rule: rule.name,
    Meaning: rule.meaning,
    State: rule.enabled ? 'on' : 'off',
    Threshold: printThreshold(rule),
    Urgent: rule.urgent ? 'yes' : 'no',
    'Reported again after': printReminder(rule),
    Channels: rule.channelIds === undefined ? 'all' : rule.channelIds.join(', ') || 'none',
  })

/** A threshold: a span in milliseconds, or percent. */
const threshold = (typed: string): number => {
  const percent = /^(\d{1,3}) ?%$/.exec(typed)?.[1]
  return percent === undefined ? span(typed) : Number(percent)
}

/** Two options for the two values of a field. */
const oneOf = (yes: true | undefined, no: true | undefined, flags: string): boolean | undefined => {
  if (yes && no) throw new Failure([`Give one of ${flags}.`], 2)
  return yes ?? (no ? false : undefined)
}

const ruleCommands: Group = {
  description: 'What alerts are about.',
  examples: [
    'payin alerts rules set inbox-waiting --threshold 30m --remind-after 4h',
    'payin alerts rules set requisite-limit --threshold 80% --channels team',
    'payin alerts rules set statement-missing --off',
  ],
  usual: 'list',
  commands: {
    list: list({
      description: 'List the rules.',
      request: 'GET /alert-rules',
      rows: (answer: { rules: AlertRuleAnswer[] }) => answer.rules,
      columns: {
        RULE: 'name',
        STATE: ({ enabled }) => (enabled ? 'on' : 'off'),
        'THRESHOLD>': printThreshold,
        URGENT: ({ urgent }) => (urgent ? 'yes' : 'no'),
        'AGAIN AFTER>': printReminder,
        CHANNELS: ({ channelIds }) => (channelIds === undefined ? 'all' : String(channelIds.length)),
        'MEANING~': 'meaning',
      },
    }),
    set: request({
      description: 'Change a rule; what is left out stays as it is.',
      request: 'PATCH /alert-rules/{name}',
      inputs: {
        name: argument('<rule>', 'name of the rule'),
        on: flag('--on', 'switch it on'),
        off: flag('--off', 'switch it off: its incidents are closed without a message'),
        threshold: option('--threshold <value>', 'a span such as 30m, or percent such as 80%', threshold),
        urgent: flag('--urgent', 'its messages wait neither for others nor for the end of quiet hours'),
        usual: flag('--not-urgent', 'its messages wait for them'),
        remindAfterMs: option(
          '--remind-after <span>',
          'report what is still open again, such as 4h; none',
          orNone(span),
        ),
        channels: option('--channels <channels>', 'ids or names, separated by commas; all', words),
      },
      body: async ({ name: _name, on, off, urgent, usual, channels, ...given }, session) => {
        const ids: string[] = []
        for (const each of channels ?? []) if (each !== 'all') ids.push(await findChannelId(session, each))
        return {
          ...given,
          enabled: oneOf(on, off, '--on and --off'),
          urgent: oneOf(urgent, usual, '--urgent and --not-urgent'),
          channelIds: channels?.includes('all') ? null : channels && ids,
        }
      },
      print: describeRule,
    }),
  },
}

/** `payin alerts`. */
export const alertCommands: Group = {
  description: 'What needs a person, and how it reaches one.',
  examples: [
    'payin alerts                                          (what is open)',
    'payin alerts acknowledge inbox-waiting',
    'payin alerts channels email "on call" --to anna@example.com',
    'payin alerts rules set inbox-waiting --threshold 30m',
  ],
  usual: 'open',
  commands: { ...incidentCommands, rules: group(ruleCommands), channels: group(alertChannelCommands) },
}

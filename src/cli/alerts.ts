import { alertChannels, type ChannelAnswer } from '../operations/alert-channels.ts'
import {
  alertRules,
  type AlertRuleAnswer,
  alerts,
  RuleChange,
  type IncidentAnswer,
  showThreshold,
} from '../operations/alerts.ts'
import { group, request } from './commands.ts'
import { argument, flag, option, resolved } from './inputs.ts'
import { pickListed } from './resolve-name.ts'
import { inputsOfFields } from './field-inputs.ts'
import { nounCommands } from './noun-commands.ts'
import { forms } from './show-rows.ts'
import { type Printed, printFields, printSpan } from './print-table.ts'
import { words, span } from './read-arguments.ts'
import type { Session } from './session.ts'
import { Failure } from './failure.ts'

/** The id of the channel with this name or id. */
const findChannelId = async (session: Session, typed: string): Promise<string> => {
  const { body } = await session.call<{ channels: ChannelAnswer[] }>('GET /alert-channels')
  const listed = body.channels.map((each) => ({ id: each.id, names: [each.name], about: `${each.name}, ${each.kind}` }))
  return pickListed(listed, typed, { kind: 'channel', shownBy: 'payin alerts channels' })
}

const mostOpen = '500'

/** The id of the open incident that is named by its rule, a part of its id, or `last`. */
const findIncident = async (session: Session, typed: string): Promise<string> => {
  const asked = { open: 'true', limit: mostOpen }
  const { body } = await session.call<{ incidents: IncidentAnswer[] }>('GET /alerts', asked)
  const listed = body.incidents.map(({ id, rule, summary }) => ({ id, names: [rule], about: `${rule}: ${summary}` }))
  return pickListed(listed, typed, { kind: 'open incident', shownBy: 'payin alerts' })
}

const describeRule = (rule: AlertRuleAnswer): Printed =>
  printFields({
    Rule: rule.name,
    Meaning: rule.meaning,
    State: rule.enabled ? 'on' : 'off',
    Threshold: showThreshold(rule, forms),
    Urgent: rule.urgent ? 'yes' : 'no',
    'Reported again after': rule.remindAfterMs === undefined ? 'never' : printSpan(rule.remindAfterMs),
    Channels: rule.channelIds === undefined ? 'all' : rule.channelIds.join(', ') || 'none',
  })

/** A threshold: a span in milliseconds, or percent. */
const threshold = (typed: string): number => {
  const percent = /^(\d{1,3}) ?%$/.exec(typed)?.[1]
  return percent === undefined ? span(typed) : Number(percent)
}

/** The value that a pair of opposite options sets; undefined if neither is given. Refuses both. */
const oneOf = (yes: true | undefined, no: true | undefined, flags: string): boolean | undefined => {
  if (yes && no) throw new Failure([`Give one of ${flags}.`], 2)
  return yes ?? (no ? false : undefined)
}

const setRule = request('PATCH /alert-rules/{name}', {
  description: 'Change a rule; omitted options do not change.',
  inputs: {
    ...inputsOfFields(RuleChange, { only: ['remindAfterMs'] }),
    name: argument('<rule>', 'name of the rule'),
    on: flag('--on', 'switch it on'),
    off: flag('--off', 'switch it off: its incidents close without a message'),
    threshold: option('--threshold <value>', 'a span such as 30m, or percent such as 80%', threshold),
    urgent: flag('--urgent', 'its messages are not grouped with others and ignore quiet hours'),
    usual: flag('--not-urgent', 'its messages are grouped and wait for the end of quiet hours'),
    channelIds: resolved<string[] | undefined>(
      option('--channels <channels>', 'ids or names, separated by commas, or all', words),
      async (session, typed) => (typed === 'all' ? typed : findChannelId(session, typed)),
    ),
  },
  body: ({ name: _name, on, off, urgent, usual, channelIds, ...given }) => ({
    ...given,
    enabled: oneOf(on, off, '--on and --off'),
    urgent: oneOf(urgent, usual, '--urgent and --not-urgent'),
    channelIds: channelIds?.includes('all') ? null : channelIds,
  }),
  print: describeRule,
})

const incident = resolved(argument('<incident>', 'rule, if it has only one open incident; id; or last'), findIncident)
const channel = resolved(argument('<channel>', 'name or id of the channel'), findChannelId)

const ownCommands = {
  rules: group(nounCommands(alertRules, { set: setRule })),
  channels: group(nounCommands(alertChannels, {}, channel)),
}

export const alertCommands = nounCommands(alerts, ownCommands, incident)

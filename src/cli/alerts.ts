import type {
  ChannelAnswer,
  ChannelTestAnswer,
  ChannelWithSecret,
  AlertRuleAnswer,
  IncidentAnswer,
} from '../http/operator-api/alerts.ts'
import { formatMinuteOfDay } from '../rules/time.ts'
import { type Group, list, request, group } from './commands.ts'
import { argument, flag, option, required, resolved, always, page } from './inputs.ts'
import { pickListed } from './resolve-name.ts'
import { type Printed, printFields, printSections, printTime, type Columns, printSpan } from './print-table.ts'
import { hours, orNone, readTyped, words, span, timeOrSpan } from './read-arguments.ts'
import type { Session } from './session.ts'
import { Failure } from './failure.ts'

/** The id of the channel with this name or id. */
const findChannelId = async (session: Session, typed: string): Promise<string> => {
  const { body } = await session.call<{ channels: ChannelAnswer[] }>('GET /alert-channels')
  const listed = body.channels.map((each) => ({ id: each.id, names: [each.name], about: `${each.name}, ${each.kind}` }))
  return pickListed(listed, typed, { kind: 'channel', shownBy: 'payin alerts channels' })
}

const targetOf = ({ to, chatId, url }: ChannelAnswer): string => to?.join(', ') ?? chatId ?? url ?? ''

const quietOf = ({ quietHours }: ChannelAnswer): string | undefined =>
  quietHours && `${formatMinuteOfDay(quietHours.from)}-${formatMinuteOfDay(quietHours.to)} ${quietHours.zone}`

const channelStateOf = ({ enabled, failingSince, lastError }: ChannelAnswer): string => {
  if (!enabled) return 'off'
  return failingSince === undefined ? 'on' : `failing since ${printTime(failingSince)}: ${lastError}`
}

const describeChannel = (channel: ChannelAnswer): Printed =>
  printFields({
    Id: channel.id,
    Name: channel.name,
    Kind: channel.kind,
    'Leads to': targetOf(channel),
    'Quiet hours': quietOf(channel),
    State: channelStateOf(channel),
    'Last sent': printTime(channel.lastSentAt),
  })

const describeNew = (channel: ChannelWithSecret): Printed =>
  printSections(
    describeChannel(channel),
    channel.secret === undefined
      ? undefined
      : `Its calls are signed with ${channel.secret}. This secret is not shown again.`,
    `Try it: payin alerts channels test "${channel.name}"`,
  )

const channel = { id: resolved(argument('<channel>', 'name or id of the channel'), findChannelId) }
const name = argument('<name>', 'your name for it')
const quietInputs = {
  quiet: option(
    '--quiet <hours>',
    'hours in which only urgent messages are sent, such as 22:00-08:00, or none',
    orNone(hours),
  ),
  zone: option('--zone <zone>', 'time zone of the quiet hours, such as Europe/Moscow; default: UTC'),
}

/** The quiet hours of a request, from the options that name them. */
const readQuiet = (quiet: [number, number] | object | undefined, zone: string | undefined): object => {
  if (quiet === undefined) return {}
  if (!Array.isArray(quiet)) return { quietHours: null }
  const [from, to] = quiet as [number, number]
  return { quietHours: { from, to: to % 1440, zone: zone ?? 'UTC' } }
}

const to = (
  purpose: (flags: string, description: string, parse: typeof words) => ReturnType<typeof option<string[]>>,
) => purpose('--to <addresses>', 'e-mail addresses, separated by commas', words)
const chatText = 'chat that the bot writes to: its number, or @ and the name of a channel'
const tokenText = 'token of the bot; - reads it from standard input, which leaves no trace in the history of the shell'

const adding = {
  email: request('POST /alert-channels', {
    description: 'Add a channel by e-mail, through the server of PAYIN_SMTP_URL.',
    inputs: { name, to: to(required), ...quietInputs },
    body: ({ quiet, zone, ...given }) => ({ kind: 'email', ...given, ...readQuiet(quiet, zone) }),
    print: describeNew,
  }),
  telegram: request('POST /alert-channels', {
    description: 'Add a channel by a Telegram bot.',
    inputs: {
      name,
      chatId: required('--chat <chat>', chatText),
      botToken: resolved(required('--bot-token <token>', tokenText), ({ surroundings }, typed) =>
        readTyped(surroundings, typed),
      ),
      ...quietInputs,
    },
    body: ({ quiet, zone, ...given }) => ({ kind: 'telegram', ...given, ...readQuiet(quiet, zone) }),
    print: describeNew,
  }),
  webhook: request('POST /alert-channels', {
    description: 'Add a webhook: signed calls to an https address. Its secret is shown only this once.',
    inputs: { name, url: argument('<url>', 'https address'), ...quietInputs },
    body: ({ quiet, zone, ...given }) => ({ kind: 'webhook', ...given, ...readQuiet(quiet, zone) }),
    print: describeNew,
  }),
}

const alertChannelCommands: Group = {
  description: 'Alert channels: how alerts reach people.',
  examples: [
    'payin alerts channels email "on call" --to anna@example.com,boris@example.com --quiet 22:00-08:00 --zone Europe/Moscow',
    'payin alerts channels telegram team --chat -1001234567890 --bot-token -',
    'payin alerts channels test "on call"',
  ],
  usual: 'list',
  commands: {
    list: list('GET /alert-channels', {
      description: 'List the channels.',
      rows: (answer: { channels: ChannelAnswer[] }) => answer.channels,
      empty:
        'No channels yet, so alerts reach nobody. Add one: payin alerts channels email "on call" --to you@example.com',
      columns: {
        NAME: 'name',
        KIND: 'kind',
        'LEADS TO~': targetOf,
        QUIET: quietOf,
        'STATE~': channelStateOf,
        'LAST SENT': ({ lastSentAt }) => printTime(lastSentAt),
        'ID#': 'id',
      },
    }),
    ...adding,
    update: request('PATCH /alert-channels/{id}', {
      description: 'Change a channel.',
      inputs: {
        ...channel,
        name: option('--name <name>', 'another name'),
        to: to(option),
        chatId: option('--chat <chat>', chatText),
        url: option('--address <url>', 'https address'),
        botToken: resolved(option('--bot-token <token>', tokenText), ({ surroundings }, typed) =>
          readTyped(surroundings, typed),
        ),
        enabled: flag('--on', 'switch it on'),
        off: flag('--off', 'switch it off: waiting messages are not sent'),
        ...quietInputs,
      },
      body: ({ id: _id, quiet, zone, off, ...given }) => ({
        ...given,
        ...(off && { enabled: false }),
        ...readQuiet(quiet, zone),
      }),
      print: describeChannel,
    }),
    remove: request('DELETE /alert-channels/{id}', {
      description: 'Remove a channel permanently.',
      inputs: channel,
      print: () => 'The channel is removed.',
    }),
    test: request('POST /alert-channels/{id}/test', {
      description: 'Send a test message through a channel now; exits with 1 if it was not accepted.',
      inputs: channel,
      body: () => ({}),
      print: ({ id, error }: ChannelTestAnswer) =>
        error === undefined ? `The test was accepted: message ${id}.` : `The test was not accepted: ${error}.`,
      failed: ({ delivered }) => !delivered,
    }),
  },
}

const stateOf = ({ closedAt, acknowledgedBy, silencedUntil }: IncidentAnswer): string => {
  if (closedAt !== undefined) return `over ${printTime(closedAt)}`
  if (acknowledgedBy !== undefined) return `acknowledged by ${acknowledgedBy}`
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

/** The id of the open incident that is named by its rule, a part of its id, or `last`. */
const findIncident = async (session: Session, typed: string): Promise<string> => {
  const asked = { open: 'true', limit: mostOpen }
  const { body } = await session.call<{ incidents: IncidentAnswer[] }>('GET /alerts', asked)
  const listed = body.incidents.map(({ id, rule, summary }) => ({ id, names: [rule], about: `${rule}: ${summary}` }))
  return pickListed(listed, typed, { kind: 'open incident', shownBy: 'payin alerts' })
}

const incident = {
  id: resolved(argument('<incident>', 'rule, if it has only one open incident; id; or last'), findIncident),
}
const ruleOption = option('--rule <rule>', 'only of this rule')

const incidentCommands = {
  open: list('GET /alerts', {
    description: 'List open incidents, newest first.',
    inputs: { open: always('true'), rule: ruleOption, ...page },
    rows: (answer: { incidents: IncidentAnswer[] }) => answer.incidents,
    empty: 'No open incidents. All: payin alerts list. The rules: payin alerts rules',
    columns,
  }),
  list: list('GET /alerts', {
    description: 'List open and closed incidents, newest first.',
    inputs: { rule: ruleOption, ...page },
    rows: (answer: { incidents: IncidentAnswer[] }) => answer.incidents,
    empty: 'No incidents. The rules: payin alerts rules',
    columns,
  }),
  acknowledge: request('POST /alerts/{id}/acknowledge', {
    description: 'Acknowledge an open incident: it is not reported again until it closes.',
    inputs: incident,
    body: () => ({}),
    print: ({ summary }: IncidentAnswer) => `Known: ${summary}`,
  }),
  silence: request('POST /alerts/{id}/silence', {
    description: 'Silence an open incident until a time, or for a span.',
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

/** The value that a pair of opposite options sets; undefined if neither is given. Refuses both. */
const oneOf = (yes: true | undefined, no: true | undefined, flags: string): boolean | undefined => {
  if (yes && no) throw new Failure([`Give one of ${flags}.`], 2)
  return yes ?? (no ? false : undefined)
}

const ruleCommands: Group = {
  description: 'Alert rules: the conditions that the service watches.',
  examples: [
    'payin alerts rules set inbox-waiting --threshold 30m --remind-after 4h',
    'payin alerts rules set requisite-limit --threshold 80% --channels team',
    'payin alerts rules set statement-missing --off',
  ],
  usual: 'list',
  commands: {
    list: list('GET /alert-rules', {
      description: 'List the rules.',
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
    set: request('PATCH /alert-rules/{name}', {
      description: 'Change a rule; omitted options do not change.',
      inputs: {
        name: argument('<rule>', 'name of the rule'),
        on: flag('--on', 'switch it on'),
        off: flag('--off', 'switch it off: its incidents close without a message'),
        threshold: option('--threshold <value>', 'a span such as 30m, or percent such as 80%', threshold),
        urgent: flag('--urgent', 'its messages are not grouped with others and ignore quiet hours'),
        usual: flag('--not-urgent', 'its messages are grouped and wait for the end of quiet hours'),
        remindAfterMs: option(
          '--remind-after <span>',
          'how often to report an open incident again, such as 4h, or none',
          orNone(span),
        ),
        channels: option('--channels <channels>', 'ids or names, separated by commas, or all', words),
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

export const alertCommands: Group = {
  description: 'Incidents that need a person, and the rules and channels that report them.',
  examples: [
    'payin alerts                                          (what is open)',
    'payin alerts acknowledge inbox-waiting',
    'payin alerts channels email "on call" --to anna@example.com',
    'payin alerts rules set inbox-waiting --threshold 30m',
  ],
  usual: 'open',
  commands: { ...incidentCommands, rules: group(ruleCommands), channels: group(alertChannelCommands) },
}

import type { ChannelAnswer, ChannelTestAnswer, ChannelWithSecret } from '../http/operator-api/alerts.ts'
import { type Group, list, request } from './commands.ts'
import { argument, flag, option, required, resolved } from './inputs.ts'
import { pickListed } from './pick-listed.ts'
import { type Printed, printFields, printSections, printTime } from './print-table.ts'
import { hours, orNone, readTyped, words } from './read-arguments.ts'
import type { Session } from './session.ts'

/** The id of a channel that is given by its name or its id. */
export const findChannelId = async (session: Session, typed: string): Promise<string> => {
  const { body } = await session.call<{ channels: ChannelAnswer[] }>('GET /alert-channels')
  const listed = body.channels.map((each) => ({ id: each.id, names: [each.name], about: `${each.name}, ${each.kind}` }))
  return pickListed(listed, typed, { kind: 'channel', shownBy: 'payin alerts channels' })
}

const targetOf = ({ to, chatId, url }: ChannelAnswer): string => to?.join(', ') ?? chatId ?? url ?? ''

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

const quietOf = ({ quietHours }: ChannelAnswer): string | undefined =>
  quietHours && `${clock(quietHours.from)}-${clock(quietHours.to)} ${quietHours.zone}`

const stateOf = ({ enabled, failingSince, lastError }: ChannelAnswer): string => {
  if (!enabled) return 'off'
  return failingSince === undefined ? 'on' : `failing since ${printTime(failingSince)}: ${lastError}`
}

const describe = (channel: ChannelAnswer): Printed =>
  printFields({
    Id: channel.id,
    Name: channel.name,
    Kind: channel.kind,
    'Leads to': targetOf(channel),
    'Quiet hours': quietOf(channel),
    State: stateOf(channel),
    'Last sent': printTime(channel.lastSentAt),
  })

const describeNew = (channel: ChannelWithSecret): Printed =>
  printSections(
    describe(channel),
    channel.secret === undefined ? undefined : `Its calls are signed with ${channel.secret}: it is not shown again.`,
    `Try it: payin alerts channels test "${channel.name}"`,
  )

const channel = { id: resolved(argument('<channel>', 'name or id of the channel'), findChannelId) }
const name = argument('<name>', 'your name for it')
const quietInputs = {
  quiet: option(
    '--quiet <hours>',
    'hours in which only urgent messages are sent, such as 22:00-08:00; none',
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
  email: request({
    description: 'Add a channel by e-mail, through the server of PAYIN_SMTP_URL.',
    request: 'POST /alert-channels',
    inputs: { name, to: to(required), ...quietInputs },
    body: ({ quiet, zone, ...given }) => ({ kind: 'email', ...given, ...readQuiet(quiet, zone) }),
    print: describeNew,
  }),
  telegram: request({
    description: 'Add a channel by a Telegram bot.',
    request: 'POST /alert-channels',
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
  webhook: request({
    description: 'Add a channel by signed calls of an https address. Its secret is shown this once.',
    request: 'POST /alert-channels',
    inputs: { name, url: argument('<url>', 'https address'), ...quietInputs },
    body: ({ quiet, zone, ...given }) => ({ kind: 'webhook', ...given, ...readQuiet(quiet, zone) }),
    print: describeNew,
  }),
}

/** `payin alerts channels`. */
export const alertChannelCommands: Group = {
  description: 'Ways by which alerts reach people.',
  examples: [
    'payin alerts channels email "on call" --to anna@example.com,boris@example.com --quiet 22:00-08:00 --zone Europe/Moscow',
    'payin alerts channels telegram team --chat -1001234567890 --bot-token -',
    'payin alerts channels test "on call"',
  ],
  usual: 'list',
  commands: {
    list: list({
      description: 'List the channels.',
      request: 'GET /alert-channels',
      rows: (answer: { channels: ChannelAnswer[] }) => answer.channels,
      empty:
        'No channels yet, so alerts reach nobody. Add one: payin alerts channels email "on call" --to you@example.com',
      columns: {
        NAME: 'name',
        KIND: 'kind',
        'LEADS TO~': targetOf,
        QUIET: quietOf,
        'STATE~': stateOf,
        'LAST SENT': ({ lastSentAt }) => printTime(lastSentAt),
        'ID#': 'id',
      },
    }),
    ...adding,
    update: request({
      description: 'Change a channel.',
      request: 'PATCH /alert-channels/{id}',
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
        off: flag('--off', 'switch it off: what waits for it is not sent'),
        ...quietInputs,
      },
      body: ({ id: _id, quiet, zone, off, ...given }) => ({
        ...given,
        ...(off && { enabled: false }),
        ...readQuiet(quiet, zone),
      }),
      print: describe,
    }),
    remove: request({
      description: 'Remove a channel for good.',
      request: 'DELETE /alert-channels/{id}',
      inputs: channel,
      print: () => 'The channel is removed.',
    }),
    test: request({
      description: 'Send a test through a channel now; ends with 1 when it was not taken.',
      request: 'POST /alert-channels/{id}/test',
      inputs: channel,
      body: () => ({}),
      print: ({ id, error }: ChannelTestAnswer) =>
        error === undefined ? `The test was taken: message ${id}.` : `The test was not taken: ${error}.`,
      failed: ({ delivered }) => !delivered,
    }),
  },
}

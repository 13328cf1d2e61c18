import type { TProperties } from 'typebox'
import { channelKinds } from '../rules/notices/alert.ts'
import { maxUrlLength } from '../rules/notices/endpoint.ts'
import { EmailAddress, Id, Time } from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

const minuteOfDay = Type.Bounded(0, 1439)

const QuietHours = Type.Exact(
  {
    from: minuteOfDay,
    to: minuteOfDay,
    zone: Type.Printable(64, { description: 'Name of a time zone.', examples: ['Europe/Moscow'] }),
  },
  {
    title: 'QuietHours',
    description:
      'Hours in which only urgent messages are sent, in minutes of the day, with their time zone, such as `Europe/Moscow`.',
    kind: 'hours',
  },
)

const Recipients = Type.Array(EmailAddress, {
  minItems: 1,
  maxItems: 20,
  description: 'For an e-mail channel: the addresses.',
})
const ChatId = Type.Pattern('must be a number, or @ and a name.', {
  pattern: '^(-?[0-9]{1,20}|@[A-Za-z0-9_]{1,64})$',
  description:
    'For a Telegram channel: the chat that the bot writes to, by its number, or @ and the name of a channel.',
  examples: ['-1001234567890'],
})
const BotToken = Type.Pattern("must be a bot's token, such as 123456:ABC….", {
  pattern: '^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$',
  description: "For a Telegram channel: the bot's token; stored sealed, never shown.",
  kind: 'secret',
})
const Url = Type.String({ minLength: 1, maxLength: maxUrlLength, description: 'For a webhook: an https address.' })
const Name = Type.Printable(100, { description: 'Your name for it.', examples: ['on call'] })

const ChannelAnswer = Type.Titled('AlertChannel', {
  id: Id,
  name: Type.String(),
  kind: Type.OneOf(channelKinds),
  'to?': Type.Array(Type.String()),
  'chatId?': Type.String(),
  'url?': Type.Text('Without its path and query, which may contain a key.', 'https://pager.example.com/…'),
  'quietHours?': QuietHours,
  enabled: Type.Boolean(),
  createdAt: Time,
  'lastSentAt?': Time,
  'failingSince?': presented(Time, 'Since when every attempt has failed.'),
  'lastError?': Type.String(),
})
export type ChannelAnswer = Static<typeof ChannelAnswer>

const ChannelWithSecret = Type.Titled('AlertChannelWithSecret', {
  ...ChannelAnswer.properties,
  'secret?': Type.Text("Secret that signs the webhook's calls (Standard Webhooks); shown only here."),
})
export type ChannelWithSecret = Static<typeof ChannelWithSecret>

const ChannelTest = Type.Object({
  id: { ...Id, description: 'Id of the message.' },
  delivered: Type.Boolean(),
  'error?': Type.Text('Why it was not accepted.'),
})
export type ChannelTestAnswer = Static<typeof ChannelTest>

const target = { 'to?': Recipients, 'chatId?': ChatId, 'url?': Url }

const optional = {
  'quietHours?': Type.OrNull(QuietHours),
  'enabled?': Type.Boolean(),
  'botToken?': BotToken,
} satisfies TProperties

const options = { url: '--address', quietHours: '--quiet' }

const tryIt = 'Try it: payin alerts channels test <channel>'

export const alertChannels = {
  about: 'Alert channels: how alerts reach people.',
  examples: [
    'payin alerts channels email "on call" --to anna@example.com,boris@example.com --quiet "22:00-08:00 Europe/Moscow"',
    'payin alerts channels telegram team --chat -1001234567890 --bot-token -',
    'payin alerts channels test "on call"',
  ],
  usual: 'list',
  operations: {
    list: operation('GET /alert-channels', 'read', {
      id: 'listAlertChannels',
      summary: 'List the channels for alerts',
      description: 'Without their secrets.',
      answer: { channels: Type.Array(ChannelAnswer) },
      exports: 'channels',
      command: {
        columns: [
          ...(['name', 'kind'] as const),
          { heading: 'Leads to', show: ({ to, chatId, url }) => to?.join(', ') ?? chatId ?? url },
          'quietHours',
          {
            heading: 'State',
            show: ({ enabled, failingSince, lastError }, { time }) => {
              if (!enabled) return 'off'
              return failingSince === undefined ? 'on' : `failing since ${time(failingSince)}: ${lastError}`
            },
          },
          ...(['lastSentAt', 'id'] as const),
        ],
        empty:
          'No channels yet, so alerts reach nobody. Add one: payin alerts channels email "on call" --to you@example.com',
      },
    }),
    add: operation('POST /alert-channels', 'configure', {
      id: 'addAlertChannel',
      summary: 'Add a channel for alerts',
      description: 'Incidents that open from now on are sent through it.',
      body: { kind: Type.OneOf(channelKinds), name: Name, ...target, ...optional },
      status: 201,
      answer: ChannelWithSecret,
      refusals: ['already_exists', 'invalid_state', 'resource_not_found'],
      commands: {
        email: {
          about: 'Add a channel by e-mail, through the server of PAYIN_SMTP_URL.',
          arguments: ['name'],
          options,
          only: ['name', 'to', 'quietHours'],
          fixed: { kind: 'email' },
          note: tryIt,
        },
        telegram: {
          about: 'Add a channel by a Telegram bot.',
          arguments: ['name'],
          options,
          only: ['name', 'chatId', 'botToken', 'quietHours'],
          fixed: { kind: 'telegram' },
          note: tryIt,
        },
        webhook: {
          about: 'Add a webhook: signed calls to an https address. Its secret is shown only this once.',
          arguments: ['name', 'url'],
          options,
          only: ['name', 'url', 'quietHours'],
          fixed: { kind: 'webhook' },
          note: `Its calls are signed with the secret, which is not shown again. ${tryIt}`,
        },
      },
    }),
    update: operation('PATCH /alert-channels/{id}', 'configure', {
      id: 'updateAlertChannel',
      summary: 'Change a channel for alerts',
      description:
        'Omitted fields do not change, nor does an address that is sent as lists show it. A channel that is switched off does not get its waiting messages.',
      body: Type.Exact({ 'name?': Name, ...target, ...optional }, { minProperties: 1 }),
      answer: ChannelAnswer,
      refusals: ['already_exists'],
      commands: {
        update: {
          about: 'Change a channel; omitted options do not change.',
          options,
          only: ['name', 'to', 'chatId', 'url', 'botToken', 'quietHours'],
        },
        on: { about: 'Switch a channel on.', only: [], fixed: { enabled: true } },
        off: {
          about: 'Switch a channel off: its waiting messages are not sent.',
          only: [],
          fixed: { enabled: false },
        },
      },
    }),
    remove: operation('DELETE /alert-channels/{id}', 'configure', {
      id: 'removeAlertChannel',
      summary: 'Remove a channel for alerts',
      description: 'Nothing more is sent through it, not even waiting messages.',
      answer: { id: Id },
      command: { says: 'The channel is removed.' },
    }),
    test: operation('POST /alert-channels/{id}/test', 'configure', {
      id: 'testAlertChannel',
      summary: 'Send a test message through a channel',
      description: 'Sent immediately, even in quiet hours; the response says whether it was accepted.',
      answer: ChannelTest,
      command: {
        about: 'Send a test message through a channel now; exits with 1 if it was not accepted.',
        fails: ({ delivered }) => !delivered,
      },
    }),
  },
} satisfies Noun<unknown>

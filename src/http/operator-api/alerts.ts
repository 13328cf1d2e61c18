import type { TProperties } from 'typebox'
import { type Static, Type } from '../../operations/schema.ts'
import {
  acknowledgeIncident,
  listAlertRules,
  listIncidents,
  silenceIncident,
  setAlertRule,
} from '../../engine/alerts/alert.ts'
import {
  type AlertIncident,
  type AlertRule,
  alertRuleKinds,
  alertRuleNames,
  channelKinds,
  shortestReminderMs,
  thresholdBounds,
} from '../../rules/notices/alert.ts'
import { day } from '../../rules/time.ts'
import { actFor, actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { EmailAddress, Id, IdParams, NoBody, Time, wire } from '../../operations/fields.ts'
import { readPage } from '../lists.ts'
import { pageOf, PageQuery } from '../../operations/lists.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'
import {
  addChannel,
  type ChannelPolicy,
  listChannels,
  type StoredChannel,
  removeChannel,
  updateChannel,
} from '../../engine/alerts/channels/channel.ts'
import { testChannel } from '../../engine/alerts/channels/test-channel.ts'
import type { Context } from '../../engine/context.ts'
import { maxUrlLength } from '../../rules/notices/endpoint.ts'
import { maskAddress } from '../../rules/values/masking.ts'

const RuleName = Type.OneOf(alertRuleNames, {
  title: 'AlertRuleName',
  description: 'What an alert is about.',
  examples: ['inbox-waiting'],
})

const IncidentAnswer = Type.Titled('Incident', {
  id: Id,
  rule: RuleName,
  subject: Type.Text('What exactly it is about.', 'transfer:…'),
  summary: Type.String(),
  command: Type.Text('The `payin` command that shows it.'),
  since: Time,
  openedAt: Time,
  closedAt: Type.Optional(Time),
  acknowledgedAt: Type.Optional(Time),
  acknowledgedBy: Type.Optional(Type.String()),
  silencedUntil: Type.Optional(Time),
  silencedBy: Type.Optional(Type.String()),
  remindAt: Type.Optional(Time, 'When it is reported again, if it is still open.'),
})

export type IncidentAnswer = Static<typeof IncidentAnswer>

const toIncident = (incident: AlertIncident): IncidentAnswer =>
  wire.fields({ ...incident, since: wire.time(incident.since), silencedUntil: wire.time(incident.silencedUntil) })

const RuleAnswer = Type.Titled('AlertRule', {
  name: RuleName,
  meaning: Type.String(),
  enabled: Type.Boolean(),
  threshold: Type.Optional(Type.Whole('In its `unit`; absent for a rule without one.')),
  unit: Type.Optional(Type.OneOf(['ms', 'percent'])),
  urgent: Type.Flag('Its messages are not grouped with others and ignore quiet hours.'),
  remindAfterMs: Type.Optional(
    Type.Whole('How long after its last message an open incident is reported again; absent: never.'),
  ),
  channelIds: Type.Optional(Type.Array(Id, { description: 'The channels that receive it; absent: all.' })),
})

export type AlertRuleAnswer = Static<typeof RuleAnswer>

const toRule = ({ name, threshold, channelIds, ...rule }: AlertRule): AlertRuleAnswer => {
  const { meaning, unit } = alertRuleKinds[name]
  return wire.fields({
    name,
    meaning,
    ...rule,
    threshold: unit === null ? null : threshold,
    unit,
    channelIds: channelIds === null ? null : [...channelIds],
  })
}

/** Rules for alerts, their incidents, and the channels that report them. */
export const alertRoutes = routesForOperators()

alertRoutes.get('/alerts', 'read', {
  id: 'listAlerts',
  summary: 'List incidents',
  description: 'Newest first.',
  query: {
    open: Type.Optional(Type.OneOf(['true', 'false'], 'Only open, or only closed ones.')),
    rule: Type.Optional(RuleName, 'Only incidents of this rule.'),
    ...PageQuery,
  },
  answer: pageOf('incidents', IncidentAnswer),
  exports: 'incidents',
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

alertRoutes.post('/alerts/:id/acknowledge', 'support', {
  id: 'acknowledgeAlert',
  summary: 'Acknowledge an open incident',
  description: 'It is not reported again until it closes.',
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

alertRoutes.post('/alerts/:id/silence', 'support', {
  id: 'silenceAlert',
  summary: 'Silence an open incident until a time',
  description: 'It is reported again after that if it is still open and not acknowledged.',
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

alertRoutes.get('/alert-rules', 'read', {
  id: 'listAlertRules',
  summary: 'List the rules for alerts',
  description: 'With their thresholds and what they watch.',
  answer: { rules: Type.Array(RuleAnswer) },
  exports: 'rules',
  handle: async (context) => ({ rules: (await listAlertRules(context)).map(toRule) }),
})

alertRoutes.patch('/alert-rules/:name', 'configure', {
  id: 'setAlertRule',
  summary: 'Change a rule for alerts',
  description: 'Omitted fields do not change. Switching a rule off closes its incidents without a message.',
  params: Type.Object({ name: RuleName }),
  body: Type.Exact(
    {
      enabled: Type.Optional(Type.Boolean()),
      threshold: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: thresholdBounds.ms[1],
          description: 'In milliseconds, at least a minute; for `requisite-limit` in percent.',
        }),
      ),
      urgent: Type.Optional(Type.Boolean()),
      remindAfterMs: Type.Optional(
        Type.OrNull(Type.Integer({ minimum: shortestReminderMs, maximum: 366 * day }), '`null`: never.'),
      ),
      channelIds: Type.Optional(Type.OrNull(Type.Array(Id, { maxItems: 50 }), '`null`: all.')),
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
      if (unit === null) return read.wrong('threshold', `is not accepted: ${name} has none.`)
      const [least, most] = thresholdBounds[unit]
      if (threshold < least || threshold > most) read.wrong('threshold', `must be from ${least} to ${most}.`)
    })
    const act = { action: 'alert.rule-set', subject: `alert-rule:${name}`, details: request.body }
    return toRule(await actOnBehalf(context, request, (tx) => setAlertRule(tx, name, request.body), act))
  },
})

const minuteOfDay = Type.Integer({ minimum: 0, maximum: 1439 })

const QuietHours = Type.Exact(
  {
    from: minuteOfDay,
    to: minuteOfDay,
    zone: Type.Printable(64, { description: 'Name of a time zone.', examples: ['Europe/Moscow'] }),
  },
  {
    title: 'QuietHours',
    description: 'Start and end, in minutes of the day; in between only urgent messages are sent.',
  },
)

const Recipients = Type.Array(EmailAddress, { minItems: 1, maxItems: 20, description: 'For an e-mail channel.' })
const ChatId = Type.Pattern('must be a number, or @ and a name.', {
  pattern: '^(-?[0-9]{1,20}|@[A-Za-z0-9_]{1,64})$',
  description: 'For a Telegram channel: the chat or channel that the bot writes to.',
  examples: ['-1001234567890'],
})
const BotToken = Type.Pattern("must be a bot's token, such as 123456:ABC….", {
  pattern: '^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$',
  description: "For a Telegram channel: the bot's token; stored sealed, never shown.",
})
const Url = Type.String({ minLength: 1, maxLength: maxUrlLength, description: 'For a webhook: an https address.' })
const Name = Type.Printable(100, { examples: ['on call'] })

const ChannelAnswer = Type.Titled('AlertChannel', {
  id: Id,
  name: Type.String(),
  kind: Type.OneOf(channelKinds),
  to: Type.Optional(Type.Array(Type.String())),
  chatId: Type.Optional(Type.String()),
  url: Type.Optional(Type.Text('Without its path and query, which may contain a key.', 'https://pager.example.com/…')),
  quietHours: Type.Optional(QuietHours),
  enabled: Type.Boolean(),
  createdAt: Time,
  lastSentAt: Type.Optional(Time),
  failingSince: Type.Optional(Time, 'Since when every attempt has failed.'),
  lastError: Type.Optional(Type.String()),
})

export type ChannelAnswer = Static<typeof ChannelAnswer>

const ChannelWithSecret = Type.Titled('AlertChannelWithSecret', {
  ...ChannelAnswer.properties,
  secret: Type.Optional(Type.Text("Secret that signs the webhook's calls (Standard Webhooks); shown only here.")),
})

/** A new channel with its secret, which is shown only this once. */
export type ChannelWithSecret = Static<typeof ChannelWithSecret>

const ChannelTest = Type.Object({
  id: { ...Id, description: 'Id of the message.' },
  delivered: Type.Boolean(),
  error: Type.Optional(Type.Text('Why it was not accepted.')),
})

export type ChannelTestAnswer = Static<typeof ChannelTest>

const toAnswer = ({ secretSealed: _sealed, target, ...channel }: StoredChannel): ChannelAnswer => ({
  ...wire.fields({
    ...channel,
    failingSince: wire.time(channel.failingSince),
  }),
  ...(target.to === undefined ? {} : { to: [...target.to] }),
  ...(target.chatId === undefined ? {} : { chatId: target.chatId }),
  ...(target.url === undefined ? {} : { url: maskAddress(target.url) }),
})

const policyOf = ({ settings, webhooks, mail }: Context): ChannelPolicy => ({
  loopbackAllowed: settings.outboundLoopback,
  mayBePublic: (hostname) => webhooks.mayReach(hostname),
  hasMail: mail !== undefined,
})

const target = { to: Type.Optional(Recipients), chatId: Type.Optional(ChatId), url: Type.Optional(Url) }

const optional = {
  quietHours: Type.Optional(Type.OrNull(QuietHours)),
  enabled: Type.Optional(Type.Boolean()),
  botToken: Type.Optional(BotToken),
} satisfies TProperties

/** What the audit records about a change: everything but the token, and what of an address may contain a key. */
const withoutToken = <T extends object>({ botToken, url, ...details }: T & { botToken?: string; url?: string }) => ({
  ...details,
  ...(url === undefined ? {} : { url: maskAddress(url) }),
  ...(botToken === undefined ? {} : { botToken: 'changed' }),
})

alertRoutes.get('/alert-channels', 'read', {
  id: 'listAlertChannels',
  summary: 'List the channels for alerts',
  description: 'Without their secrets.',
  answer: { channels: Type.Array(ChannelAnswer) },
  exports: 'channels',
  handle: async (context) => ({ channels: (await listChannels(context)).map(toAnswer) }),
})

alertRoutes.post('/alert-channels', 'configure', {
  id: 'addAlertChannel',
  summary: 'Add a channel for alerts',
  description: 'Incidents that open from now on are sent through it.',
  body: { kind: Type.OneOf(channelKinds), name: Name, ...target, ...optional },
  status: 201,
  answer: ChannelWithSecret,
  refusals: ['already_exists', 'invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { kind, name, to, chatId, url, quietHours = null, enabled = true, botToken } = request.body
    const leadsTo = { ...(to && { to }), ...(chatId && { chatId }), ...(url && { url }) }
    const wish = { name, target: leadsTo, quietHours, enabled, ...(botToken && { botToken }) }
    const act = { action: 'alert.channel-add', details: withoutToken(request.body) }
    const { channel, secret } = await actOnBehalf(
      context,
      request,
      (tx) => addChannel(tx, policyOf(context), kind, wish),
      { ...act, subject: (added) => `alert-channel:${added.channel.id}` },
    )
    return { ...toAnswer(channel), ...(secret === null ? {} : { secret }) }
  },
})

alertRoutes.patch('/alert-channels/:id', 'configure', {
  id: 'updateAlertChannel',
  summary: 'Change a channel for alerts',
  description:
    'Omitted fields do not change, nor does an address that is sent as lists show it. A channel that is switched off does not get its waiting messages.',
  params: IdParams,
  body: Type.Exact({ name: Type.Optional(Name), ...target, ...optional }, { minProperties: 1 }),
  answer: ChannelAnswer,
  refusals: ['already_exists', 'invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const { name, to, chatId, url, quietHours, enabled, botToken } = request.body
    const hasTarget = to !== undefined || chatId !== undefined || url !== undefined
    const change = {
      ...(name !== undefined && { name }),
      ...(hasTarget && { target: { ...(to && { to }), ...(chatId && { chatId }), ...(url && { url }) } }),
      ...(quietHours !== undefined && { quietHours }),
      ...(enabled !== undefined && { enabled }),
      ...(botToken !== undefined && { botToken }),
    }
    const details = withoutToken(request.body)
    const act = { action: 'alert.channel-update', subject: `alert-channel:${id}`, details }
    return toAnswer(await actOnBehalf(context, request, (tx) => updateChannel(tx, policyOf(context), id, change), act))
  },
})

alertRoutes.delete('/alert-channels/:id', 'configure', {
  id: 'removeAlertChannel',
  summary: 'Remove a channel for alerts',
  description: 'Nothing more is sent through it, not even waiting messages.',
  params: IdParams,
  answer: { id: Id },
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const act = { action: 'alert.channel-remove', subject: `alert-channel:${id}`, details: {} }
    await actOnBehalf(context, request, (tx) => removeChannel(tx, id), act)
    return { id }
  },
})

alertRoutes.post('/alert-channels/:id/test', 'configure', {
  id: 'testAlertChannel',
  summary: 'Send a test message through a channel',
  description: 'Sent immediately, even in quiet hours; the response says whether it was accepted.',
  params: IdParams,
  body: NoBody,
  answer: ChannelTest,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id: channelId } = request.params
    const { id, error } = await testChannel(context, channelId)
    const details = { message: id, delivered: error === null }
    const act = { action: 'alert.channel-test', subject: `alert-channel:${channelId}`, details }
    await actFor(context, request, actorOf(request), async () => undefined, act)
    return { id, delivered: error === null, ...(error === null ? {} : { error }) }
  },
})

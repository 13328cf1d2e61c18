import {
  acknowledgeIncident,
  listAlertRules,
  listIncidents,
  silenceIncident,
  setAlertRule,
} from '../../engine/alerts/alert.ts'
import { type AlertIncident, type AlertRule, alertRuleKinds, thresholdBounds } from '../../rules/notices/alert.ts'
import { actFor, actOnBehalf, actorOf } from '../access/act-on-behalf.ts'
import { wire } from '../../operations/fields.ts'
import { readPage } from '../routes/lists.ts'
import { readBody } from '../routes/read-body.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import { alertChannels, type ChannelAnswer } from '../../operations/alert-channels.ts'
import { alertRules, type AlertRuleAnswer, alerts, type IncidentAnswer } from '../../operations/alerts.ts'
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
import { maskAddress } from '../../rules/values/masking.ts'

const toIncident = (incident: AlertIncident): IncidentAnswer =>
  wire.fields({ ...incident, since: wire.time(incident.since), silencedUntil: wire.time(incident.silencedUntil) })

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

/** What the audit records about a change: everything but the token, and what of an address may contain a key. */
const withoutToken = <T extends object>({ botToken, url, ...details }: T & { botToken?: string; url?: string }) => ({
  ...details,
  ...(url === undefined ? {} : { url: maskAddress(url) }),
  ...(botToken === undefined ? {} : { botToken: 'changed' }),
})

export const alertRoutes = bindNoun(alerts, {
  list: (context, request) => {
    const { open, rule = null } = request.query
    const isOpen = open === undefined ? null : open === 'true'
    return readPage(
      'incidents',
      request.query,
      (span) => listIncidents(context, { open: isOpen, rule, ...span }),
      toIncident,
    )
  },
  acknowledge: async (context, request) => {
    const { id } = request.params
    const act = { action: 'alert.acknowledge', subject: `alert:${id}`, details: {} }
    return toIncident(await actOnBehalf(context, request, (tx) => acknowledgeIncident(tx, id, actorOf(request)), act))
  },
  silence: async (context, request) => {
    const { id } = request.params
    const until = readBody((read) => read.instant(request.body.until, 'until'))
    const act = { action: 'alert.silence', subject: `alert:${id}`, details: request.body }
    const silence = actOnBehalf(context, request, (tx) => silenceIncident(tx, id, until, actorOf(request)), act)
    return toIncident(await silence)
  },
})

export const alertRuleRoutes = bindNoun(alertRules, {
  list: async (context) => ({ rules: (await listAlertRules(context)).map(toRule) }),
  set: async (context, request) => {
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

export const alertChannelRoutes = bindNoun(alertChannels, {
  list: async (context) => ({ channels: (await listChannels(context)).map(toAnswer) }),
  add: async (context, request) => {
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
  update: async (context, request) => {
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
  remove: async (context, request) => {
    const { id } = request.params
    const act = { action: 'alert.channel-remove', subject: `alert-channel:${id}`, details: {} }
    await actOnBehalf(context, request, (tx) => removeChannel(tx, id), act)
    return { id }
  },
  test: async (context, request) => {
    const { id: channelId } = request.params
    const { id, error } = await testChannel(context, channelId)
    const details = { message: id, delivered: error === null }
    const act = { action: 'alert.channel-test', subject: `alert-channel:${channelId}`, details }
    await actFor(context, request, actorOf(request), async () => undefined, act)
    return { id, delivered: error === null, ...(error === null ? {} : { error }) }
  },
})

import { acknowledgeIncident, listAlertRules, listIncidents, setAlertRule } from '../../engine/alerts/alert.ts'
import { type AlertRule, alertRuleKinds, thresholdBounds } from '../../rules/notices/alert.ts'
import { actOnBehalf, actOnNamed, actorOf } from '../access/act-on-behalf.ts'
import { readPage } from '../routes/lists.ts'
import { readBody } from '../routes/read-body.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { alertChannels } from '../../operations/alert-channels.ts'
import { alertRules, alerts } from '../../operations/alerts.ts'
import {
  addChannel,
  type ChannelPolicy,
  listChannels,
  type StoredChannel,
  removeChannel,
  updateChannel,
} from '../../engine/alerts/channels/channel.ts'
import { testChannel } from '../../engine/alerts/messages/send-alerts.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { maskAddress } from '../../rules/values/masking.ts'

const toRule = (rule: AlertRule) => {
  const { meaning, unit } = alertRuleKinds[rule.name]
  return { ...rule, meaning, unit, threshold: unit === null ? null : rule.threshold }
}

const toAnswer = ({ target: { to, chatId, url }, ...channel }: StoredChannel) => ({
  ...channel,
  ...{ to, chatId, url: url && maskAddress(url) },
})

const policyOf = ({ settings, webhooks, mail }: Context): ChannelPolicy => ({
  loopbackAllowed: settings.outboundLoopback,
  mayBePublic: (hostname) => webhooks.mayReach(hostname),
  hasMail: mail !== undefined,
})

/** What the audit records about a change: everything but the token, and what of an address may contain a key. */
const withoutSecrets = <T extends object>({ botToken, url, ...details }: T & { botToken?: string; url?: string }) => ({
  ...details,
  ...(url === undefined ? {} : { url: maskAddress(url) }),
  ...(botToken === undefined ? {} : { botToken: 'changed' }),
})

type GivenTarget = { readonly to?: readonly string[]; readonly chatId?: string; readonly url?: string }

/** The fields of a body, with where the channel leads to as one. */
const withTarget = <T extends GivenTarget>({ to, chatId, url, ...others }: T) => ({
  ...others,
  target: { ...(to && { to }), ...(chatId && { chatId }), ...(url && { url }) },
})

export const alertRoutes = bindOperations(alerts.operations, {
  list: (context, { query }) => {
    const { open, rule = null } = query
    const isOpen = open === undefined ? null : open === 'true'
    return readPage('incidents', query, (span) => listIncidents(context, { open: isOpen, rule, ...span }))
  },
  acknowledge: (context, request) =>
    actOnNamed(context, request, 'alert.acknowledge', (tx) =>
      acknowledgeIncident(tx, request.params.id, actorOf(request)),
    ),
})

export const alertRuleRoutes = bindOperations(alertRules.operations, {
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
    return toRule(await actOnNamed(context, request, 'alert-rule.set', (tx) => setAlertRule(tx, name, request.body)))
  },
})

export const alertChannelRoutes = bindOperations(alertChannels.operations, {
  list: async (context) => ({ channels: (await listChannels(context)).map(toAnswer) }),
  add: async (context, request) => {
    const { kind, ...given } = request.body
    const wish = { quietHours: null, enabled: true, ...withTarget(given) }
    const add = (tx: Tx) => addChannel(tx, policyOf(context), kind, wish)
    const { channel, secret } = await actOnBehalf(context, request, add, {
      action: 'alert-channel.add',
      subject: (added) => `alert-channel:${added.channel.id}`,
      details: withoutSecrets(request.body),
    })
    return { ...toAnswer(channel), secret }
  },
  update: async (context, request) => {
    const { id } = request.params
    const { target, ...others } = withTarget(request.body)
    const change = { ...others, ...(Object.keys(target).length > 0 && { target }) }
    const update = (tx: Tx) => updateChannel(tx, policyOf(context), id, change)
    return toAnswer(await actOnNamed(context, request, 'alert-channel.update', update, withoutSecrets(request.body)))
  },
  remove: async (context, request) => {
    const { id } = request.params
    await actOnNamed(context, request, 'alert-channel.remove', (tx) => removeChannel(tx, id))
    return { id }
  },
  test: async (context, request) => {
    const { id, error } = await testChannel(context, request.params.id)
    const delivered = error === null
    await actOnNamed(context, request, 'alert-channel.test', async () => undefined, { message: id, delivered })
    return { id, delivered, error }
  },
})

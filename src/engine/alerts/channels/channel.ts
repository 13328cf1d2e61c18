import { sealedText } from '../../../secrets/sealed-text.ts'
import type { SealedTable } from '../../../secrets/vault.ts'
import type { Tx } from '../../context.ts'
import { lockAdding, type Queryable } from 'payin-database'
import { type ChannelKind, type ChannelTarget, isZone, type QuietHours } from '../../../rules/notices/alert.ts'
import { invalidState, Refusal, refuseField, requireRow } from '../../../rules/refusal.ts'
import { maskAddress } from '../../../rules/values/masking.ts'
import { lockChannels, selectChannels, insertChannel, updateChannelRow, markRemoved } from './store.ts'
import { type EndpointPolicy, readOutboundUrl } from '../../../rules/notices/endpoint.ts'
import { newWebhookSecret } from '../../../secrets/webhook-secret.ts'
import { dropMessages } from '../messages/store.ts'

export const sealedChannels: SealedTable = {
  table: 'alert_channels',
  key: { id: 'uuid' },
  columns: [{ name: 'secret_sealed', locatedAs: 'secret' }],
}

/** The secret of a channel: the token of a bot, or the key that signs the calls of a webhook. */
export const channelSecret = sealedText('alert_channels', 'secret')

export type StoredChannel = ReturnType<typeof selectChannels.decode>

const requireOne = (channels: readonly StoredChannel[], id: string): StoredChannel =>
  requireRow(
    channels.filter((channel) => channel.id === id),
    'channel',
  )

/** All channels, the oldest first. */
export const listChannels = (sql: Queryable): Promise<StoredChannel[]> => sql.query(selectChannels, {})

/** One channel; refuses `resource_not_found`. */
export const getChannel = async (sql: Queryable, id: string): Promise<StoredChannel> =>
  requireOne(await listChannels(sql), id)

/** One channel, locked with all others; refuses `resource_not_found`. */
const lockChannel = async (tx: Tx, id: string): Promise<StoredChannel> =>
  requireOne(await tx.query(lockChannels, {}), id)

const nameTaken = (name: string): Refusal => new Refusal('already_exists', `There is already a channel named ${name}.`)

/** Refuses `already_exists` if another channel has the name. */
const requireFreeName = async (tx: Tx, name: string, own: string): Promise<void> => {
  const channels = await tx.query(selectChannels, {})
  if (channels.some((other) => other.name === name && other.id !== own)) throw nameTaken(name)
}

export type ChannelWish = {
  readonly name: string
  readonly target: ChannelTarget
  readonly quietHours: QuietHours | null
  readonly enabled: boolean
  readonly botToken?: string
}

/** What channels may lead to: the policy for addresses, and whether there is a mail server. */
export type ChannelPolicy = EndpointPolicy & { readonly hasMail: boolean }

/** The target of a channel in its normal form; refuses fields that its kind does not have, and missing ones. */
const readTarget = (kind: ChannelKind, { to, chatId, url }: ChannelTarget, policy: ChannelPolicy): ChannelTarget => {
  if (kind !== 'email' && to !== undefined) throw refuseField('to', 'is for e-mail channels only.')
  if (kind !== 'telegram' && chatId !== undefined) throw refuseField('chatId', 'is for Telegram channels only.')
  if (kind !== 'webhook' && url !== undefined) throw refuseField('url', 'is for webhooks only.')
  if (kind === 'email') {
    if (!policy.hasMail) throw invalidState('There is no mail server: set PAYIN_SMTP_URL and restart the service.')
    if (to === undefined || to.length === 0) throw refuseField('to', 'is required.')
    return { to: [...new Set(to)] }
  }
  if (kind === 'telegram') {
    if (chatId === undefined) throw refuseField('chatId', 'is required.')
    return { chatId }
  }
  if (url === undefined) throw refuseField('url', 'is required.')
  const normal = readOutboundUrl(url, policy)
  if (normal instanceof Refusal) throw normal
  return { url: normal }
}

const checkQuietHours = (quietHours: QuietHours | null): void => {
  if (quietHours === null) return
  if (!isZone(quietHours.zone)) throw refuseField('quietHours.zone', 'is not a time zone, such as Europe/Moscow.')
  if (quietHours.from === quietHours.to) throw refuseField('quietHours.to', 'must differ from the start.')
}

const mostChannels = 50

/**
 * Adds a channel; returns the secret that signs the calls of a webhook, for this one time. Refusals: `already_exists`
 * for its name, `invalid_state` if there are too many channels or no mail server, `validation_failed`.
 */
export const addChannel = async (
  tx: Tx,
  policy: ChannelPolicy,
  kind: ChannelKind,
  wish: ChannelWish,
): Promise<{ readonly channel: StoredChannel; readonly secret: string | null }> => {
  const target = readTarget(kind, wish.target, policy)
  checkQuietHours(wish.quietHours)
  if ((kind === 'telegram') !== (wish.botToken !== undefined)) {
    throw refuseField('botToken', kind === 'telegram' ? 'is required.' : 'is for Telegram channels only.')
  }
  await lockAdding(tx, 'alert channels')
  if ((await tx.query(lockChannels, {})).length >= mostChannels)
    throw invalidState(`There are already ${mostChannels} channels.`)
  const id = tx.newId()
  const secret = kind === 'webhook' ? newWebhookSecret() : null
  const sealed = wish.botToken ?? secret
  const secretSealed = sealed === null ? null : channelSecret.seal(tx.vault, id, sealed)
  const [added] = await tx.query(insertChannel, { ...wish, id, kind, target, secretSealed, createdAt: tx.now })
  if (!added) throw nameTaken(wish.name)
  return { channel: await getChannel(tx, id), secret }
}

/**
 * Changes a channel; omitted fields stay as they are. One that is switched off gets none of its waiting messages.
 * Refusals: `resource_not_found`, and those of `addChannel`.
 */
export const updateChannel = async (
  tx: Tx,
  policy: ChannelPolicy,
  id: string,
  change: Partial<ChannelWish>,
): Promise<StoredChannel> => {
  const before = await lockChannel(tx, id)
  // Lists show the address masked.
  const isShown = before.target.url !== undefined && change.target?.url === maskAddress(before.target.url)
  const target = change.target === undefined || isShown ? before.target : readTarget(before.kind, change.target, policy)
  checkQuietHours(change.quietHours ?? null)
  if (change.name !== undefined) await requireFreeName(tx, change.name, id)
  if (before.kind !== 'telegram' && change.botToken !== undefined) {
    throw refuseField('botToken', 'is for Telegram channels only.')
  }
  const { botToken, ...changed } = change
  const secretSealed = botToken === undefined ? before.secretSealed : channelSecret.seal(tx.vault, id, botToken)
  const after = { ...before, ...changed, target, secretSealed }
  await tx.query(updateChannelRow, after)
  if (!after.enabled) await tx.query(dropMessages, { channelId: id, now: tx.now })
  return getChannel(tx, id)
}

/** Removes a channel for good, with what waits for it; refuses `resource_not_found`. */
export const removeChannel = async (tx: Tx, id: string): Promise<void> => {
  await lockChannel(tx, id)
  await tx.query(dropMessages, { channelId: id, now: tx.now })
  await tx.query(markRemoved, { id, now: tx.now })
}

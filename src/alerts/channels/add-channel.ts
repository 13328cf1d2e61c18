import type { Tx } from '../../context.ts'
import { lockAdding } from '../../database/lock-adding.ts'
import type { ChannelKind } from '../../domain/alert.ts'
import { Refusal } from '../../domain/refusal.ts'
import { newWebhookSecret } from '../../secrets/webhook-secret.ts'
import { type ChannelPolicy, type ChannelWish, checkQuietHours, readTarget, refuse } from './read-target.ts'
import { getChannel, nameTaken, requireFreeName, type StoredChannel } from './read.ts'
import { sealChannelSecret } from './seal-channel-secret.ts'
import { insertChannel } from './store.ts'

/** Most channels of a service. */
const mostChannels = 50

/**
 * Adds a channel; the secret that signs the calls of a webhook is returned this once. Refusals: `already_exists` for its
 * name, `invalid_state` beyond the most channels or without a mail server, `validation_failed`.
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
    throw refuse('botToken', kind === 'telegram' ? 'is required.' : 'is of Telegram channels only.')
  }
  await lockAdding(tx, 'alert channels')
  const others = await requireFreeName(tx, wish.name, null)
  if (others >= mostChannels) throw new Refusal('invalid_state', `There are already ${mostChannels} channels.`)
  const id = tx.newId()
  const secret = kind === 'webhook' ? newWebhookSecret() : null
  const sealed = wish.botToken ?? secret
  const [added] = await tx.query(insertChannel, {
    id,
    kind,
    name: wish.name,
    target,
    secretSealed: sealed === null ? null : sealChannelSecret(tx.vault, id, sealed),
    quietHours: wish.quietHours,
    enabled: wish.enabled,
    createdAt: tx.now,
  })
  // Another one may just have taken the name.
  if (!added) throw nameTaken(wish.name)
  return { channel: await getChannel(tx, id), secret }
}

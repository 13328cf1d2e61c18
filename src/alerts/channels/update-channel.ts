import type { Tx } from '../../context.ts'
import { dropMessages } from '../messages/store.ts'
import { type ChannelPolicy, type ChannelWish, checkQuietHours, readTarget, refuse } from './read-target.ts'
import { getChannel, lockChannel, requireFreeName, type StoredChannel } from './read.ts'
import { sealChannelSecret } from './seal-channel-secret.ts'
import { updateChannelRow } from './store.ts'

/**
 * Changes a channel; what is left out stays as it is. One that is switched off gets nothing of what waits for it. Refusals:
 * `resource_not_found`, and those of `addChannel`.
 */
export const updateChannel = async (
  tx: Tx,
  policy: ChannelPolicy,
  id: string,
  change: Partial<ChannelWish>,
): Promise<StoredChannel> => {
  const before = await lockChannel(tx, id)
  const target = change.target === undefined ? before.target : readTarget(before.kind, change.target, policy)
  const quietHours = change.quietHours === undefined ? before.quietHours : change.quietHours
  checkQuietHours(quietHours)
  if (change.name !== undefined) await requireFreeName(tx, change.name, id)
  if (before.kind !== 'telegram' && change.botToken !== undefined) {
    throw refuse('botToken', 'is of Telegram channels only.')
  }
  const enabled = change.enabled ?? before.enabled
  await tx.query(updateChannelRow, {
    id,
    name: change.name ?? before.name,
    target,
    quietHours,
    enabled,
    secretSealed:
      change.botToken === undefined ? before.secretSealed : sealChannelSecret(tx.vault, id, change.botToken),
  })
  if (!enabled) await tx.query(dropMessages, { channelId: id, now: tx.now })
  return getChannel(tx, id)
}

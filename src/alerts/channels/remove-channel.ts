import type { Tx } from '../../context.ts'
import { dropMessages } from '../messages/store.ts'
import { lockChannel } from './read.ts'
import { markRemoved } from './store.ts'

/** Removes a channel for good, with what waits for it; refuses `resource_not_found`. */
export const removeChannel = async (tx: Tx, id: string): Promise<void> => {
  await lockChannel(tx, id)
  await tx.query(dropMessages, { channelId: id, now: tx.now })
  await tx.query(markRemoved, { id, now: tx.now })
}

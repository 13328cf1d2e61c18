import type { Tx } from '../../context.ts'
import type { Queryable } from '../../database/database.ts'
import type { AlertChannel } from '../../domain/alert.ts'
import { Refusal } from '../../domain/refusal.ts'
import { lockChannels, selectChannels } from './store.ts'

/** A channel with its sealed secret. */
export type StoredChannel = AlertChannel & { readonly secretSealed: string | null }

const requireOne = (channels: readonly StoredChannel[], id: string): StoredChannel => {
  const found = channels.find((channel) => channel.id === id)
  if (!found) throw new Refusal('resource_not_found', 'There is no such channel.')
  return found
}

/** All channels, the oldest first. */
export const listChannels = (sql: Queryable): Promise<StoredChannel[]> => sql.query(selectChannels, {})

/** One channel; refuses `resource_not_found`. */
export const getChannel = async (sql: Queryable, id: string): Promise<StoredChannel> =>
  requireOne(await listChannels(sql), id)

/** One channel, locked with all others; refuses `resource_not_found`. */
export const lockChannel = async (tx: Tx, id: string): Promise<StoredChannel> =>
  requireOne(await tx.query(lockChannels, {}), id)

/** The refusal of a name that another channel has. */
export const nameTaken = (name: string): Refusal =>
  new Refusal('already_exists', `There is a channel named ${name} already.`)

/** How many other channels there are; refuses `already_exists` for a name that one of them has. */
export const requireFreeName = async (tx: Tx, name: string, own: string | null): Promise<number> => {
  const others = (await tx.query(lockChannels, {})).filter(({ id }) => id !== own)
  if (others.some((other) => other.name === name)) throw nameTaken(name)
  return others.length
}

import type { Context } from '../../context.ts'
import { alertBody, testAlert } from '../../../rules/notices/alert-message.ts'
import { sendThrough } from '../messages/send-through.ts'
import { getChannel } from './channel.ts'
import { updateHealth } from './store.ts'

export type ChannelTest = { readonly id: string; readonly error: string | null }

/** Sends a test through a channel now, even one that is switched off; refuses `resource_not_found`. */
export const testChannel = async (context: Context, channelId: string): Promise<ChannelTest> => {
  const channel = await getChannel(context, channelId)
  const id = context.newId()
  const now = context.clock()
  const text = testAlert(channel.name, id, context.settings.publicUrl)
  const error = await sendThrough(context, channel, { ...text, id, body: alertBody(id, text, [], now) })
  await context.query(updateHealth, { now: context.clock(), rows: [{ id: channelId, error }] })
  return { id, error }
}

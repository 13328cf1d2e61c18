import type { Context } from '../context.ts'
import { noSuch } from '../../rules/refusal.ts'
import { countWaitingMessages, findMessage, selectMessages } from './store.ts'

/** How many messages of each phone wait for a person. */
export const countWaiting = async (context: Context): Promise<ReadonlyMap<string, number>> =>
  new Map((await context.query(countWaitingMessages, {})).map(({ phoneId, count }) => [phoneId, count]))

/** A page of messages, the newest first. */
export const listMessages = (
  context: Context,
  filter: {
    readonly phoneId: string | null
    /** Only those that wait for a person, or whose balance nobody has confirmed. */
    readonly open: boolean
    readonly before: string | null
    readonly limit: number
  },
) => context.query(selectMessages, filter)

/** One message; refuses `resource_not_found`. */
export const getMessage = async (context: Context, id: string) => {
  const [found] = await context.query(findMessage, { id })
  if (!found) throw noSuch('message')
  return found
}

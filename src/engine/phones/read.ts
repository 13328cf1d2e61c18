import { type Queryable, reader } from 'payin-database'
import type { Context, Tx } from '../context.ts'
import { invalidState, requireRow } from '../../rules/refusal.ts'
import { openContent } from './read-message.ts'
import { countWaitingMessages, findMessage, selectMessages } from './store.ts'

/** How many messages of each phone wait for a person. */
export const countWaiting = async (context: Context): Promise<ReadonlyMap<string, number>> =>
  new Map((await context.query(countWaitingMessages, {})).map(({ phoneId, count }) => [phoneId, count]))

/** A page of messages, the newest first; `open`: only those that wait for a person, or whose balance nobody has confirmed. */
export const listMessages = reader(selectMessages)

/** One message; refuses `resource_not_found`. */
export const getMessage = async (sql: Queryable, id: string) =>
  requireRow(await sql.query(findMessage, { id }), 'message')

/**
 * The title and the text of a message, as the bank has written them. Refuses `resource_not_found`, and `invalid_state`
 * once they were deleted.
 */
export const revealMessage = async (tx: Tx, id: string): Promise<string> => {
  const found = await getMessage(tx, id)
  const content = openContent(tx.vault, id, found.contentSealed)
  if (content === null) throw invalidState('What the bank has written was deleted; what was read from it is left.')
  return [content.title, content.text].filter((each) => each !== null).join('\n')
}

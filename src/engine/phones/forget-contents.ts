import type { Context } from '../context.ts'
import { day } from '../../rules/time.ts'
import { deleteContents } from './store.ts'

const rowsAtOnce = 1000

/** Deletes what banks have written in old messages; returns how many. What was read from them stays. */
export const forgetContents = async (context: Context): Promise<number> => {
  const before = context.clock() - context.settings.messageDays * day
  return (await context.query(deleteContents, { before, limit: rowsAtOnce })).length
}

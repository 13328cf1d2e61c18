import type { Context } from '../context.ts'
import { day } from '../../rules/time.ts'
import { deleteEnded } from './store.ts'

/** Rows that have been useless for this long are deleted. */
const keptMs = 7 * day

/** Deletes sessions, links and counts that have ended; returns how many. */
export const cleanMembers = async (context: Context): Promise<number> => {
  const now = context.clock()
  const before = now - keptMs
  const [row] = await context.query(deleteEnded, { now, before, beforeMs: BigInt(before) })
  return Number(row?.deleted ?? 0)
}

import type { Context } from '../context.ts'
import { maxVelocityWindowMs } from '../domain/risk.ts'
import { deletePayers, deleteUses } from './store.ts'

const rowsAtOnce = 5000

/** Deletes counted payments that no window of a velocity rule reaches any more, and their payers; returns how many. */
export const forgetUses = async (context: Context): Promise<number> => {
  const before = context.clock() - maxVelocityWindowMs
  const uses = await context.query(deleteUses, { before, limit: rowsAtOnce })
  const payers = await context.query(deletePayers, { before, limit: rowsAtOnce })
  return uses.length + payers.length
}

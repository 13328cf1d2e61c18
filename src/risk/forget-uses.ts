import type { Context } from '../context.ts'
import { maxVelocityWindowMs } from '../domain/risk.ts'
import { deleteUses } from './store.ts'

const usesAtOnce = 5000

/** Forgets payments of payers that no window of a velocity rule reaches any more; answers how many. */
export const forgetUses = async (context: Context): Promise<number> => {
  const before = context.clock() - maxVelocityWindowMs
  return (await context.query(deleteUses, { before, limit: usesAtOnce })).length
}

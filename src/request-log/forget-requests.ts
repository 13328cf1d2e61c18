import type { Context } from '../context.ts'
import { day } from '../domain/time.ts'
import { deleteRequests } from './store.ts'

/** Most requests that one round deletes. */
const batchSize = 5000

/** Deletes requests that are older than `PAYIN_REQUEST_LOG_DAYS`; returns how many. */
export const forgetRequests = async (context: Context): Promise<number> => {
  const before = context.clock() - context.settings.requestLogDays * day
  const [row] = await context.query(deleteRequests, { before, limit: batchSize })
  return Number(row?.deleted ?? 0)
}

import type { Context } from '../../context.ts'
import { day } from '../../domain/time.ts'
import { deleteDecisions } from './store.ts'

/** Results of requests are answered again for the same idempotency key for this long. */
const keptMs = 30 * day

/** Most requests that one round deletes; each may name hundreds of disputes. */
const batchSize = 100

/** Deletes the results of requests that are older than `keptMs`; what they decided stays. Returns how many requests. */
export const forgetDisputeDecisions = async (context: Context): Promise<number> => {
  const [row] = await context.query(deleteDecisions, { before: context.clock() - keptMs, limit: batchSize })
  return Number(row?.deleted ?? 0)
}

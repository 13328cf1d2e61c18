import type { Context } from '../../context.ts'
import { day } from '../../domain/time.ts'
import { deleteDecisions } from './store.ts'

/** Decisions are kept this long: their results are answered again for the same idempotency key, and can be read. */
export const keptMs = 30 * day

/** Most decisions that one round deletes; each may name a thousand transfers. */
const batchSize = 100

/** Deletes decisions that are older than `keptMs`; what they did stays, and so does the audit. Returns how many. */
export const forgetDecisions = async (context: Context): Promise<number> => {
  const [row] = await context.query(deleteDecisions, { before: context.clock() - keptMs, limit: batchSize })
  return Number(row?.deleted ?? 0)
}

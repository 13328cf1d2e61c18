import type { Context, Tx } from '../context.ts'
import { type AuditedAct, recordActs } from './record-acts.ts'

/**
 * Runs a change and writes its audit entries in the same transaction; `describe` makes them out of the
 * result, which alone knows the id of something new and what was there before.
 */
export const actAudited = <T>(
  context: Context,
  work: (tx: Tx) => Promise<T>,
  describe: (result: T) => AuditedAct | readonly AuditedAct[],
): Promise<T> =>
  context.transaction(async (tx) => {
    const result = await work(tx)
    await recordActs(tx, [describe(result)].flat())
    return result
  })

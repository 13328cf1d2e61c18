import type { Tx } from '../../../context.ts'
import { lockRateSource } from './read.ts'
import { markRemoved } from './store.ts'

/** Removes a source for good; the rate that it has set stays until its end. Refuses `resource_not_found`. */
export const removeRateSource = async (tx: Tx, id: string): Promise<void> => {
  await lockRateSource(tx, id)
  await tx.query(markRemoved, { id, now: tx.now })
}

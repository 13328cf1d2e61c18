import type { Tx } from '../../../context.ts'
import type { Rate } from '../../../domain/rate.ts'
import { setRate } from '../set-rate.ts'
import { lockSources, markDecided } from './store.ts'

/** Sets a rate as an operator decides it, from which the moves of its sources are measured. Refuses as `setRate` does. */
export const setRateByHand = async (tx: Tx, wanted: Parameters<typeof setRate>[1]): Promise<Rate> => {
  await tx.query(lockSources, {})
  const rate = await setRate(tx, wanted)
  await tx.query(markDecided, { currency: rate.currency, at: rate.createdAt })
  return rate
}

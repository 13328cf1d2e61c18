import type { Context } from '../../../context.ts'
import { longestGapMs } from '../../../../rules/notices/delivery.ts'
import { planBounds } from '../../../../rules/time.ts'
import { restartAheadLanes } from './store.ts'

/**
 * Wakes the lanes that would wait for times by a clock that was ahead; what it has queued or tried is then brought
 * forward. Returns how many.
 */
export const restartLanes = async (context: Context): Promise<number> => {
  const now = context.clock()
  const bounds = { ...planBounds(now), failedBefore: now - longestGapMs }
  return (await context.query(restartAheadLanes, bounds)).length
}

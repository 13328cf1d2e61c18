import type { Context } from '../../context.ts'
import type { Instant } from '../../domain/time.ts'
import { selectRateHistory } from './store.ts'

/** Most points of a history: more than a screen shows. */
const mostPoints = 240

/** The rates of a currency since a time, the oldest first: of many the last of each of 240 equal spans, and the one in force at the beginning. */
export const listRateHistory = (context: Context, currency: string, since: Instant) => {
  const now = context.clock()
  const stepMs = Math.max(1, Math.ceil((now - since) / mostPoints))
  return context.query(selectRateHistory, { currency, since, stepMs })
}

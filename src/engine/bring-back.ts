import { instant, integer, query } from 'payin-database'
import { planBounds } from '../rules/time.ts'
import type { Context } from './context.ts'

/**
 * Corrects times that a clock that was ahead wrote to a column: a plan more than `longestMs` ahead is due now. The
 * function returns how many there were.
 */
export const bringBack = (table: string, column: string, longestMs = 0, condition = '') => {
  const correct = query(`bring_${table}_back`, {
    parameters: { now: instant, latest: instant },
    row: { done: integer },
    text: `update ${table} set ${column} = :now where ${column} > :latest ${condition} returning 1 as done`,
  })
  return async (context: Context): Promise<number> =>
    (await context.query(correct, planBounds(context.clock(), longestMs))).length
}

import { instant, query, uuid } from 'payin-database'
import { planBounds } from '../rules/time.ts'
import type { Context } from './context.ts'

/**
 * Makes the correction of a column's times that a clock that was ahead has written: what is planned for later than
 * `longestMs` from now comes now. It returns how many.
 */
export const bringBack = (table: string, column: string, longestMs = 0, condition = '') => {
  const correct = query(`bring_${table}_back`, {
    parameters: { now: instant, latest: instant },
    row: { id: uuid },
    text: `update ${table} set ${column} = :now where ${column} > :latest ${condition} returning id`,
  })
  return async (context: Context): Promise<number> =>
    (await context.query(correct, planBounds(context.clock(), longestMs))).length
}

import type { Context } from '../context.ts'

/**
 * Rows of a statement that one transaction takes. The embedded engine has one connection, so that everybody else waits for the
 * end of each set; PostgreSQL has others, and large sets cost it less.
 */
export const setSize = (engine: Context['engine']): number => (engine === 'embedded' ? 100 : 1000)

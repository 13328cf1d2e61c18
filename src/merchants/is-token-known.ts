import type { Context } from '../context.ts'
import { findToken } from './store.ts'

/** Whether a token with this hash exists and was not revoked. */
export const isTokenKnown = async (context: Context, hash: string): Promise<boolean> => {
  const [row] = await context.query(findToken, { hash })
  return row !== undefined && row.revokedAt === null
}

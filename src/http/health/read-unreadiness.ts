import type { Context } from '../../engine/context.ts'
import { merchantDirectory } from '../../engine/merchants/merchant-directory.ts'

/** `Retry-After` of responses while the process is not ready, in seconds. */
export const askAgainSeconds = 2

/** Why the process accepts no requests; undefined if it does. */
export const readUnreadiness = async (context: Context): Promise<string | undefined> => {
  if (context.changes.closed()) return 'stopping'
  if (!context.isWritable()) return 'database cannot write'
  try {
    context.catalog.invalidate()
    await context.catalog.get(merchantDirectory)
    return undefined
  } catch {
    return 'no database'
  }
}

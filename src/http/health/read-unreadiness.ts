import type { Context } from '../../context.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'

/** When to ask again, in seconds: `Retry-After` of an answer that it is not ready. */
export const askAgainSeconds = 2

/** Why the process accepts no requests, if so. */
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

import type { Context } from '../../context.ts'
import { listOpenReversals as list } from './store.ts'

/** A reversal of which nobody knows what it took back, with the ids of transfers of its amount. */
type OpenReversal = ReturnType<typeof list.decode>

/** Reversals that wait for an operator, the newest first, from before an id. */
export const listOpenReversals = (
  context: Context,
  page: { readonly before: string | null; readonly limit: number },
): Promise<OpenReversal[]> => context.query(list, page)

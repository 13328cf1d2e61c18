import type { Context } from '../context.ts'
import { listTransfers as list } from './store.ts'

/** Recorded transfers, the newest first, from before an id; `unmatched` leaves those that wait in the inbox. */
export const listTransfers = (
  context: Context,
  page: { readonly unmatched: boolean; readonly before: string | null; readonly limit: number },
) => context.query(list, page)

import type { Context } from '../../context.ts'
import { listOverpayments as list } from './store.ts'

/** Payments whose payers are owed money, of a merchant or of all, the newest first, from before an id. */
export const listOverpayments = (
  context: Context,
  page: { readonly merchantId: string | null; readonly before: string | null; readonly limit: number },
) => context.query(list, page)

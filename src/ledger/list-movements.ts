import type { Context } from '../context.ts'
import { account } from '../domain/ledger.ts'
import { listMovements as list } from './store.ts'

/** Movements of a merchant's available balance, the newest first, from before an id. */
export const listMovements = (
  context: Context,
  page: { readonly merchantId: string; readonly before: string | null; readonly limit: number },
) => context.query(list, { ...page, account: account.available(page.merchantId) })

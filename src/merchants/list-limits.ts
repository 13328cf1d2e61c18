import type { Context } from '../context.ts'
import { serviceBook } from '../domain/ledger.ts'
import type { CurrencyLimits } from '../domain/merchant.ts'
import { listLimits as list } from './store.ts'

/** All limits that are set, by currency; `merchantId` is `null` for those of every merchant without its own. */
export const listLimits = async (context: Context): Promise<(CurrencyLimits & { merchantId: string | null })[]> =>
  (await context.query(list, {})).map((row) => ({
    merchantId: row.merchantId === serviceBook ? null : row.merchantId,
    currency: row.currency,
    min: row.minAmount,
    max: row.maxAmount,
  }))

import type { Context } from '../context.ts'
import type { PaymentMethod } from '../domain/payment.ts'
import type { Instant } from '../domain/time.ts'
import { listPaymentsBetween, listPaymentsWithPayers } from './store.ts'

type Keys = readonly { readonly merchantId: string; readonly paymentId: string }[]

/** The first id that can be made at a time: ids rise with it (UUID version 7). */
const idFrom = (at: Instant): string => {
  const hex = Math.max(0, at).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** Payments of the past with the index of their payer: those of keys, or a merchant's by a method, the oldest first. */
export const listPastPayments = async (
  context: Context,
  wanted:
    | { readonly keys: Keys }
    | {
        readonly merchantId: string
        readonly method: PaymentMethod
        readonly since: Instant
        readonly until: Instant
        readonly limit: number
      },
) => {
  if ('keys' in wanted) {
    const { keys } = wanted
    if (keys.length === 0) return []
    const merchantIds = keys.map((key) => key.merchantId)
    return context.query(listPaymentsWithPayers, { merchantIds, ids: keys.map((key) => key.paymentId) })
  }
  const { merchantId, method, limit } = wanted
  const ids = { from: idFrom(wanted.since), until: idFrom(wanted.until) }
  return context.query(listPaymentsBetween, { merchantId, method, ...ids, limit })
}

import type { Context } from '../context.ts'
import type { Merchant } from '../domain/merchant.ts'
import type { Payment } from '../domain/payment.ts'
import type { Requisite } from '../domain/requisite.ts'
import { merchantDirectory } from '../merchants/merchant-directory.ts'
import { requisitePool } from '../requisites/requisite-pool.ts'
import { findPaymentById } from './find-payment-by-id.ts'

/** A payment as its payer's page needs it. */
export type ViewedPayment = { readonly payment: Payment; readonly requisite: Requisite; readonly merchant: Merchant }

/** The payment that a checkout token opens; `undefined` for a token that is not ours or a payment that is not there. */
export const viewPayment = async (context: Context, token: string): Promise<ViewedPayment | undefined> => {
  const key = context.checkoutTokens.open(token)
  const payment = key && (await findPaymentById(context, key.merchantId, key.paymentId))
  if (!payment) return undefined
  const [pool, merchants] = await Promise.all([
    context.catalog.get(requisitePool),
    context.catalog.get(merchantDirectory),
  ])
  const requisite = pool.byId.get(payment.requisiteId)
  const merchant = merchants.get(payment.merchantId)?.merchant
  if (!requisite || !merchant) throw new Error(`payment ${payment.id}: its requisite or merchant is unknown`)
  return { payment, requisite, merchant }
}

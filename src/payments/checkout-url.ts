import type { Context } from '../context.ts'
import type { Payment } from '../domain/payment.ts'

/** Link to a payment's hosted page: `{public_url}/{locale?}/<CHECKOUT_TOKEN>/payment-sbp` (docs/contract.md §2.3). */
export const checkoutUrl = (
  { settings, checkoutTokens }: Pick<Context, 'settings' | 'checkoutTokens'>,
  payment: Pick<Payment, 'merchantId' | 'id' | 'locale'>,
): string => {
  const token = checkoutTokens.issue(payment.merchantId, payment.id)
  return [settings.publicUrl, ...(payment.locale === null ? [] : [payment.locale]), token, 'payment-sbp'].join('/')
}

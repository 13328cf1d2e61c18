import type { Context } from '../context.ts'
import type { PaymentLink } from '../../rules/payments/payment-link.ts'
import { methodRules, type PaymentMethod, paymentMethods } from '../../rules/values/payment-method.ts'
import { type RequisiteWish, unfit } from '../../rules/requisites/requisite.ts'
import type { MerchantProfile } from '../merchants/merchant-directory.ts'
import { requisitePool } from '../requisites/requisite-pool.ts'

/**
 * The methods that the payer of a link may choose from: the link's own, or those for which its merchant has a requisite
 * that would take `amount`; without an amount, any.
 */
export const linkMethods = async (
  context: Context,
  link: Pick<PaymentLink, 'method' | 'currency'>,
  { merchant }: MerchantProfile,
  amount: bigint | null,
): Promise<PaymentMethod[]> => {
  if (link.method !== null) return [link.method]
  const pool = await context.catalog.get(requisitePool)
  const now = context.clock()
  const takes = (method: PaymentMethod): boolean => {
    const { transferScope } = methodRules[method]
    const kind = { method, currency: link.currency, transferScope, bankIssuer: null }
    const owner = { merchantId: merchant.id, ownOnly: merchant.settings.ownRequisitesOnly, mode: merchant.mode }
    for (const requisite of pool.offer({ ...owner, ...kind, amount: amount ?? 0n })) {
      // Without an amount, each requisite is checked for its smallest amount.
      const wish: RequisiteWish = { ...owner, ...kind, amount: amount ?? requisite.limits.minAmount ?? 1n }
      if (unfit(requisite, wish, now) === undefined) return true
    }
    return false
  }
  return paymentMethods.filter(takes)
}

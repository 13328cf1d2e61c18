import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { defaultTerms, type Terms, termsBounds } from '../domain/merchant.ts'
import type { PaymentMethod } from '../domain/payment-method.ts'
import { Refusal } from '../domain/refusal.ts'
import { findMerchant } from './read.ts'
import { upsertTerms } from './store.ts'

/**
 * Sets a merchant's own terms of a method in place of those that it had; the others follow the defaults. Existing payments
 * keep theirs. Refuses `resource_not_found`, `validation_failed`.
 */
export const setTerms = async (
  tx: Tx,
  merchantId: string,
  method: PaymentMethod,
  terms: Partial<Terms>,
): Promise<void> => {
  await findMerchant(tx, merchantId)
  const errors = Object.entries(termsBounds).flatMap(([field, [min, max]]) => {
    const value = terms[field as keyof typeof termsBounds]
    const isWhole = typeof value === 'bigint' || Number.isInteger(value)
    const fits = value === undefined || (isWhole && value >= min && value <= max)
    return fits ? [] : [{ field, code: 'validation_failed', message: `must be a whole number from ${min} to ${max}.` }]
  })
  const { feeMinMicro, feeMaxMicro } = { ...defaultTerms, ...terms }
  if (feeMinMicro > feeMaxMicro) {
    errors.push({ field: 'feeMinMicro', code: 'validation_failed', message: 'must not be greater than feeMaxMicro.' })
  }
  if (errors.length > 0) throw new Refusal('validation_failed', 'Some terms are out of bounds.', { errors })
  await tx.query(upsertTerms, { merchantId, method, terms })
  await raiseCatalogVersion(tx, 'merchants')
}

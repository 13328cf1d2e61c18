import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { serviceBook } from '../domain/ledger.ts'
import type { CurrencyLimits } from '../domain/merchant.ts'
import { refuseField } from '../domain/refusal.ts'
import { findMerchant } from './read.ts'
import { upsertLimits } from './store.ts'

/**
 * Sets the bounds of a payment's amount in a currency, for one merchant or (`null`) for all that have none of their own.
 * Refuses `resource_not_found`, `validation_failed`.
 */
export const setLimits = async (tx: Tx, merchantId: string | null, limits: CurrencyLimits): Promise<void> => {
  if (merchantId !== null) await findMerchant(tx, merchantId)
  if (limits.min <= 0n || limits.min > limits.max) {
    throw refuseField('validation_failed', 'min', 'must be greater than 0 and at most max.')
  }
  await tx.query(upsertLimits, {
    merchantId: merchantId ?? serviceBook,
    currency: limits.currency,
    minAmount: limits.min,
    maxAmount: limits.max,
  })
  await raiseCatalogVersion(tx, 'merchants')
}

import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { Refusal, refuseField } from '../domain/refusal.ts'
import { maxVelocityWindowMs, type VelocityRule } from '../domain/risk.ts'
import { second } from '../domain/time.ts'
import { findMerchant } from '../merchants/read.ts'
import { endRule, insertRule } from './store.ts'

/** A velocity rule to add. */
export type NewVelocityRule = Omit<VelocityRule, 'id' | 'createdAt' | 'endedAt'>

/** Changes of velocity rules; a rule never changes itself: it is ended, and another one added. */
export const velocityRules = {
  /** Adds a rule, which counts payments from then on. Refuses `validation_failed`, `resource_not_found`. */
  add: async (tx: Tx, wanted: NewVelocityRule): Promise<VelocityRule> => {
    const { merchantId, windowMs, maxCount, maxAmount } = wanted
    if (merchantId !== null) await findMerchant(tx, merchantId)
    if (!Number.isInteger(windowMs) || windowMs < second || windowMs > maxVelocityWindowMs) {
      throw refuseField('validation_failed', 'windowMs', 'must be from one second to 31 days.')
    }
    if (maxCount === null && maxAmount === null) {
      throw refuseField('validation_failed', 'maxCount', 'or maxAmount with its currency must be given.')
    }
    const rule: VelocityRule = { ...wanted, id: tx.newId(), createdAt: tx.now, endedAt: null }
    await tx.query(insertRule, rule)
    await raiseCatalogVersion(tx, 'risk')
    return rule
  },
  /** Ends a rule. Refuses `resource_not_found`, also when it was ended before. */
  end: async (tx: Tx, id: string): Promise<VelocityRule> => {
    const [rule] = await tx.query(endRule, { id, now: tx.now })
    if (!rule) throw new Refusal('resource_not_found', 'There is no such rule, or it was ended before.')
    await raiseCatalogVersion(tx, 'risk')
    return rule
  },
}

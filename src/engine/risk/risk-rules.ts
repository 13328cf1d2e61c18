import type { Tx } from '../context.ts'
import { type CatalogPart, raiseCatalogVersion } from '../catalog.ts'
import { Refusal, refuseField } from '../../rules/refusal.ts'
import { arrangeRules, maxVelocityWindowMs, type RiskRules, type VelocityRule } from '../../rules/merchants/risk.ts'
import { second } from '../../rules/time.ts'
import { findMerchant } from '../merchants/read.ts'
import { listLiveBlocks, listRules, listShownNumbers, endRule, insertRule } from './store.ts'

export const riskRules: CatalogPart<RiskRules> = {
  name: 'risk',
  load: async (sql) => {
    const blocks = await sql.query(listLiveBlocks, {})
    const rules = await sql.query(listRules, {})
    const shown = blocks.length === 0 ? [] : await sql.query(listShownNumbers, {})
    return arrangeRules(blocks, rules, shown)
  },
}

/** Changes of velocity rules; a rule is never edited: it is ended, and another one added. */
export const velocityRules = {
  /** Adds a rule, which counts payments from then on. Refuses `validation_failed`, `resource_not_found`. */
  add: async (tx: Tx, wanted: Omit<VelocityRule, 'id' | 'createdAt' | 'endedAt'>): Promise<VelocityRule> => {
    const { merchantId, windowMs, maxCount, maxAmount } = wanted
    if (merchantId !== null) await findMerchant(tx, merchantId)
    if (!Number.isInteger(windowMs) || windowMs < second || windowMs > maxVelocityWindowMs) {
      throw refuseField('windowMs', 'must be from one second to 31 days.')
    }
    if (maxCount === null && maxAmount === null) {
      throw refuseField('maxCount', 'or maxAmount with its currency must be given.')
    }
    const rule: VelocityRule = { ...wanted, id: tx.newId(), createdAt: tx.now, endedAt: null }
    await tx.query(insertRule, rule)
    await raiseCatalogVersion(tx, 'risk')
    return rule
  },
  /** Ends a rule. Refuses `resource_not_found`, also if it was ended before. */
  end: async (tx: Tx, id: string): Promise<VelocityRule> => {
    const [rule] = await tx.query(endRule, { id, now: tx.now })
    if (!rule) throw new Refusal('resource_not_found', 'There is no such rule, or it was ended before.')
    await raiseCatalogVersion(tx, 'risk')
    return rule
  },
}

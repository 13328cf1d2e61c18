import type { Tx } from '../context.ts'
import { type CatalogPart, raiseCatalogVersion } from '../catalog.ts'
import { Refusal, refuseField } from '../../rules/refusal.ts'
import {
  blockFinding,
  isBlocking,
  type PayerIdentity,
  type RiskBlock,
  type RiskFinding,
  type ShownNumber,
  type VelocityKind,
  type VelocityRule,
  maxVelocityWindowMs,
} from '../../rules/merchants/risk.ts'
import { type Instant, second } from '../../rules/time.ts'
import { findMerchant } from '../merchants/read.ts'
import { listLiveBlocks, listRules, listShownNumbers, endRule, insertRule } from './store.ts'

export type RiskRules = {
  /** Whether there are no blocks and no rules, so that no payer needs to be looked up. */
  readonly isEmpty: boolean
  /** The block that refuses a payer at `now`: its own, or that of a number which the user has shown. */
  findBlock(merchantId: string, payer: PayerIdentity, now: Instant): RiskFinding | undefined
  rulesFor(merchantId: string, kind: VelocityKind): readonly VelocityRule[]
}

/** Blocks and velocity rules, without those rules that have ended. */
export const arrangeRules = (
  blocks: readonly RiskBlock[],
  all: readonly VelocityRule[],
  shown: readonly ShownNumber[],
): RiskRules => {
  const rules = all.filter((rule) => rule.endedAt === null)
  const byPayer = Map.groupBy(blocks, (block) => block.payerIndex)
  const byId = new Map(blocks.map((block) => [block.id, block]))
  const userKey = (merchantId: string, userId: string): string => `${merchantId} ${userId}`
  const byUser = Map.groupBy(shown, ({ merchantId, userId }) => userKey(merchantId, userId))
  return {
    isEmpty: blocks.length === 0 && rules.length === 0,
    findBlock: (merchantId, { indexes, userId }, now) => {
      const own = indexes.flatMap((index) => byPayer.get(index) ?? [])
      const block = own.find((each) => isBlocking(each, merchantId, now))
      if (block) return blockFinding(block)
      for (const each of userId === null ? [] : (byUser.get(userKey(merchantId, userId)) ?? [])) {
        const ofNumber = byId.get(each.blockId)
        if (ofNumber && isBlocking(ofNumber, merchantId, now)) return blockFinding(ofNumber, each)
      }
      return undefined
    },
    rulesFor: (merchantId, kind) =>
      rules.filter((rule) => rule.kind === kind && (rule.merchantId === null || rule.merchantId === merchantId)),
  }
}

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
  /** Ends a rule. Refuses `resource_not_found`, also if it was ended before. */
  end: async (tx: Tx, id: string): Promise<VelocityRule> => {
    const [rule] = await tx.query(endRule, { id, now: tx.now })
    if (!rule) throw new Refusal('resource_not_found', 'There is no such rule, or it was ended before.')
    await raiseCatalogVersion(tx, 'risk')
    return rule
  },
}

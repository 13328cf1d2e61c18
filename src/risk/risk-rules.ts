import type { CatalogPart } from '../database/catalog.ts'
import { isBlocking, type PayerIdentity, type RiskBlock, type VelocityKind, type VelocityRule } from '../domain/risk.ts'
import type { Instant } from '../domain/time.ts'
import { listLiveBlocks, listRules } from './store.ts'

/** Blocks and velocity rules in memory. */
export type RiskRules = {
  /** Whether nobody is blocked and nothing is counted, so that no payer needs to be looked up. */
  readonly isEmpty: boolean
  /** The block that refuses a merchant's payer at `now`. */
  findBlock(merchantId: string, payer: PayerIdentity, now: Instant): RiskBlock | undefined
  /** Velocity rules for a merchant's payers of a kind. */
  rulesFor(merchantId: string, kind: VelocityKind): readonly VelocityRule[]
}

const arrange = (blocks: readonly RiskBlock[], rules: readonly VelocityRule[]): RiskRules => {
  const byPayer = Map.groupBy(blocks, (block) => block.payerIndex)
  return {
    isEmpty: blocks.length === 0 && rules.length === 0,
    findBlock: (merchantId, payer, now) =>
      payer.indexes.flatMap((index) => byPayer.get(index) ?? []).find((block) => isBlocking(block, merchantId, now)),
    rulesFor: (merchantId, kind) =>
      rules.filter((rule) => rule.kind === kind && (rule.merchantId === null || rule.merchantId === merchantId)),
  }
}

/** Blocks and velocity rules as a part of the catalog. */
export const riskRules: CatalogPart<RiskRules> = {
  name: 'risk',
  load: async (sql) => {
    const [blocks, rules] = await Promise.all([sql.query(listLiveBlocks, {}), sql.query(listRules, {})])
    return arrange(
      blocks,
      rules.filter((rule) => rule.endedAt === null),
    )
  },
}

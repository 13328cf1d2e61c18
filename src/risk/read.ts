import type { TypedName } from '../domain/id-text.ts'
import type { Context } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import type { PayerKind, RiskBlock, VelocityRule } from '../domain/risk.ts'
import { payerIndexes } from './identify-payers.ts'
import { findBlocks, findRules, selectBlocks, selectDecisions, listRules } from './store.ts'

/** A page of blocks, the newest first: all, or those of one payer. */
export const listBlocks = (
  context: Context,
  before: string | null,
  limit: number,
  payer?: { readonly kind: PayerKind; readonly merchantId: string | null; readonly value: string },
): Promise<RiskBlock[]> => {
  const indexes = payer ? payerIndexes(context.vault, payer.kind, payer.merchantId, payer.value) : null
  return context.query(selectBlocks, { before, payerIndexes: indexes, limit })
}

/** All velocity rules, the ended ones included. */
export const listVelocityRules = (context: Context): Promise<VelocityRule[]> => context.query(listRules, {})

/** A page of what was decided about payers, of all merchants and payments or of one, the newest first. */
export const listDecisions = (
  sql: Queryable,
  page: {
    readonly merchantId: string | null
    readonly paymentId: string | null
    readonly before: string | null
    readonly limit: number
  },
) => sql.query(selectDecisions, page)

/** Blocks that a shortened id may mean, a few of them. */
export const findBlocksByName = (context: Context, { typed: _, ...wanted }: TypedName) =>
  context.query(findBlocks, wanted)

/** Rules that a shortened id may mean, a few of them. */
export const findRulesByName = (context: Context, { typed: _, ...wanted }: TypedName) =>
  context.query(findRules, wanted)

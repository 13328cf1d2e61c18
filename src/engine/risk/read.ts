import type { TypedName } from '../../rules/values/id-text.ts'
import type { Context } from '../context.ts'
import { reader } from 'payin-database'
import { accountDigits } from '../../rules/values/account-number.ts'
import { type PayerKind, payerKinds, type RiskBlock, type VelocityRule } from '../../rules/merchants/risk.ts'
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

export const listDecisions = reader(selectDecisions)

type Wanted = TypedName & { readonly merchantIds: readonly string[] }

/**
 * Blocks that a payer (`+79991234567`, `phone 4567`, `user user-42`) or a shortened id may mean; only a few of them,
 * those in effect first. A whole number means none to those who may not reveal it.
 */
export const findBlocksByName = (
  context: Context,
  { typed, mayReveal, ...wanted }: Wanted & { readonly mayReveal: boolean },
) => {
  const [, word = '', value = ''] = /^(?:(user|phone|account|card) +)?(.+)$/i.exec(typed.trim()) ?? []
  const payerKind = payerKinds.find((kind) => kind === word.toLowerCase()) ?? null
  const digits = accountDigits(value)
  const indexes =
    payerKind === 'user'
      ? wanted.merchantIds.flatMap((merchantId) => payerIndexes(context.vault, 'user', merchantId, value))
      : mayReveal
        ? payerIndexes(context.vault, 'phone', null, value)
        : []
  return context.query(findBlocks, {
    ...wanted,
    payerKind,
    payerIndexes: indexes,
    digits: payerKind !== 'user' && /^\d{4}$/.test(digits) ? digits : '',
  })
}

/** Velocity rules that a kind, a reason or a shortened id may mean; only a few of them, those in effect first. */
export const findRulesByName = reader(findRules)

import type { Tx } from '../context.ts'
import {
  breakVelocity,
  maxVelocityWindowMs,
  type PayerIdentity,
  type PayerUse,
  type RiskFinding,
} from '../domain/risk.ts'
import type { RiskRules } from './risk-rules.ts'
import { insertUses, listUses } from './store.ts'

/** A payment that its payer wants to make, with the payer's identities that are watched. */
export type JudgedPayment = PayerUse & { readonly payers: readonly PayerIdentity[] }

type StoredUse = PayerUse & { readonly payerIndex: string; readonly kind: PayerIdentity['kind'] }

const usesOf = (uses: readonly StoredUse[], { kind, indexes }: PayerIdentity): StoredUse[] =>
  uses.filter((use) => use.kind === kind && indexes.includes(use.payerIndex))

const findRisk = (rules: RiskRules, uses: readonly StoredUse[], judged: JudgedPayment): RiskFinding | undefined => {
  const { merchantId, payers, at } = judged
  for (const payer of payers) {
    const finding = rules.findBlock(merchantId, payer, at)
    if (finding) return finding
  }
  for (const payer of payers) {
    for (const rule of rules.rulesFor(merchantId, payer.kind)) {
      const finding = breakVelocity(rule, usesOf(uses, payer), judged)
      if (finding) return finding
    }
  }
  return undefined
}

/**
 * Judges payments of watched payers in their order and counts those that pass; answers the findings by payment for those
 * that do not. The payers must have been locked by the transaction.
 */
export const judgePayers = async (
  tx: Tx,
  rules: RiskRules,
  payments: readonly JudgedPayment[],
): Promise<Map<string, RiskFinding>> => {
  const findings = new Map<string, RiskFinding>()
  if (payments.length === 0) return findings
  const earliest = Math.min(...payments.map((each) => each.at))
  const known: StoredUse[] = await tx.query(listUses, {
    payerIndexes: [...new Set(payments.flatMap((each) => each.payers.flatMap((payer) => payer.indexes)))],
    after: earliest - maxVelocityWindowMs,
  })
  const fresh: StoredUse[] = []
  for (const judged of payments) {
    const finding = findRisk(rules, [...known, ...fresh], judged)
    if (finding) findings.set(judged.paymentId, finding)
    else fresh.push(...judged.payers.map(({ index, kind }) => ({ ...judged, payerIndex: index, kind })))
  }
  if (fresh.length > 0) await tx.query(insertUses, columnsOf(fresh))
  return findings
}

const columnsOf = (uses: readonly StoredUse[]) => ({
  payerIndexes: uses.map((use) => use.payerIndex),
  kinds: uses.map((use) => use.kind),
  merchantIds: uses.map((use) => use.merchantId),
  paymentIds: uses.map((use) => use.paymentId),
  modes: uses.map((use) => use.mode),
  currencies: uses.map((use) => use.currency),
  amounts: uses.map((use) => use.amount),
  ats: uses.map((use) => use.at),
})

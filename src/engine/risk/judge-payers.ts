import type { Tx } from '../context.ts'
import {
  breakVelocity,
  maxVelocityWindowMs,
  type PayerIdentity,
  type PayerUse,
  type RiskFinding,
} from '../../rules/merchants/risk.ts'
import type { RiskRules } from './risk-rules.ts'
import { insertUses, listUses, lockPayerRows } from './store.ts'

/** A payment to be judged, with the watched identities of its payer. */
export type JudgedPayment = PayerUse & { readonly payers: readonly PayerIdentity[] }

/** A payment that counts for one of the identities of its payer. */
export type StoredUse = PayerUse & { readonly payerIndex: string; readonly kind: PayerIdentity['kind'] }

const usesOf = (uses: readonly StoredUse[], { kind, indexes }: PayerIdentity): StoredUse[] =>
  uses.filter((use) => use.kind === kind && indexes.includes(use.payerIndex))

/** What counts once a payment is judged. */
export const usesOfPayers = ({ payers, ...judged }: JudgedPayment): StoredUse[] =>
  payers.map(({ index, kind }) => ({ ...judged, payerIndex: index, kind }))

/** Why the payer of a payment is refused, given the payments that count: by a block, or else by a velocity rule. */
export const findRisk = (
  rules: RiskRules,
  uses: readonly StoredUse[],
  judged: JudgedPayment,
): RiskFinding | undefined => {
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
 * Locks payers before their payments are judged, so that no other transaction on any node counts them concurrently.
 * Call it before taking slots and requisites.
 */
export const lockPayers = async (tx: Tx, payers: readonly PayerIdentity[]): Promise<void> => {
  if (payers.length === 0) return
  // By each of the keys: processes with another first key count the same payer.
  const payerIndexes = [...new Set(payers.flatMap((payer) => payer.indexes))].toSorted()
  await tx.query(lockPayerRows, { now: tx.now, rows: payerIndexes.map((payerIndex) => ({ payerIndex })) })
}

/** Judges payments of locked payers in their order, counts those that pass, and returns findings for the others. */
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
    else fresh.push(...usesOfPayers(judged))
  }
  if (fresh.length > 0) await tx.query(insertUses, { rows: fresh })
  return findings
}

import type { Tx } from '../context.ts'
import {
  findRisk,
  type JudgedPayment,
  maxVelocityWindowMs,
  type PayerIdentity,
  type RiskRules,
  type StoredUse,
  usesOfPayers,
} from '../../rules/merchants/risk.ts'
import type { FoundRisk } from './record-decisions.ts'
import { insertUses, listUses, lockPayerRows } from './store.ts'

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

/**
 * Judges payments in their order, counts all or those that pass, and returns the findings. Payers whose payments may be
 * refused are locked before.
 */
export const judgePayers = async (
  tx: Tx,
  rules: RiskRules,
  payments: readonly JudgedPayment[],
  counted: 'all' | 'passing',
): Promise<FoundRisk[]> => {
  if (payments.length === 0) return []
  const found: FoundRisk[] = []
  const earliest = Math.min(...payments.map((each) => each.at))
  const known: StoredUse[] = await tx.query(listUses, {
    payerIndexes: [...new Set(payments.flatMap((each) => each.payers.flatMap((payer) => payer.indexes)))],
    after: earliest - maxVelocityWindowMs,
  })
  const fresh: StoredUse[] = []
  for (const judged of payments) {
    const finding = findRisk(rules, [...known, ...fresh], judged)
    if (finding) found.push({ merchantId: judged.merchantId, paymentId: judged.paymentId, finding })
    if (!finding || counted === 'all') fresh.push(...usesOfPayers(judged))
  }
  if (fresh.length > 0) await tx.query(insertUses, { rows: fresh })
  return found
}

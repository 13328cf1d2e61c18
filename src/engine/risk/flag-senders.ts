import type { Tx } from '../context.ts'
import {
  arrangeRules,
  findRisk,
  type JudgedPayment,
  maxVelocityWindowMs,
  type StoredUse,
  usesOfPayers,
} from '../../rules/merchants/risk.ts'
import { type FoundRisk, recordDecisions } from './record-decisions.ts'
import { insertUses, listBlocksOf, listMerchantModes, listRules, listUses } from './store.ts'

/** Money that went to a payment, with the account or card of its sender. */
export type SentMoney = Omit<JudgedPayment, 'mode' | 'at'>

/** Flags senders who are blocked or beyond a velocity rule; refuses nothing: the money has come. Call it last. */
export const flagSenders = async (tx: Tx, sent: readonly SentMoney[]): Promise<void> => {
  if (sent.length === 0) return
  const payerIndexes = [...new Set(sent.flatMap(({ payers }) => payers.flatMap(({ indexes }) => indexes)))]
  const blocks = await tx.query(listBlocksOf, { payerIndexes })
  const live = await tx.query(listRules, {})
  const rules = arrangeRules(
    blocks,
    live.filter(({ kind }) => kind === 'account' || kind === 'card'),
    [],
  )
  if (rules.isEmpty) return
  const merchantIds = [...new Set(sent.map((each) => each.merchantId))]
  const merchants = await tx.query(listMerchantModes, { merchantIds })
  const modes = new Map(merchants.map(({ id, mode }) => [id, mode]))
  const counted: StoredUse[] = await tx.query(listUses, { payerIndexes, after: tx.now - maxVelocityWindowMs })
  const known = counted.length
  const found: FoundRisk[] = []
  for (const each of sent) {
    const { merchantId, paymentId } = each
    const judged = { ...each, mode: modes.get(merchantId) ?? ('live' as const), at: tx.now }
    const finding = findRisk(rules, counted, judged)
    if (finding) found.push({ merchantId, paymentId, finding })
    counted.push(...usesOfPayers(judged))
  }
  await tx.query(insertUses, { rows: counted.slice(known) })
  await recordDecisions(tx, 'transfer', 'flagged', found)
}

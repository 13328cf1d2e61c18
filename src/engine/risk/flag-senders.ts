import type { Tx } from '../context.ts'
import {
  blockFinding,
  breakVelocity,
  isBlocking,
  maxVelocityWindowMs,
  type PayerUse,
} from '../../rules/merchants/risk.ts'
import { type FoundRisk, recordDecisions } from './record-decisions.ts'
import { insertUses, listBlocksOf, listMerchantModes, listRules, listUses } from './store.ts'

/** Money that went to a payment, with the blind index of the sender's account or card. */
export type SentMoney = {
  readonly merchantId: string
  readonly paymentId: string
  readonly currency: string
  readonly amount: bigint
  readonly senderIndex: string
  /** By each of the keys: an older one may have produced the index of a block. */
  readonly senderIndexes: readonly string[]
  readonly senderKind: 'account' | 'card'
}

/**
 * Checks who has sent money to payments: flags blocked senders, and those beyond a velocity rule for accounts or cards,
 * to the operator. The money has come, so nothing is refused. Call it last in the transaction.
 */
export const flagSenders = async (tx: Tx, sent: readonly SentMoney[]): Promise<void> => {
  if (sent.length === 0) return
  const payerIndexes = [...new Set(sent.flatMap((each) => each.senderIndexes))]
  const blocks = await tx.query(listBlocksOf, { payerIndexes })
  const live = (await tx.query(listRules, {})).filter((rule) => rule.endedAt === null)
  const rules = live.filter((rule) => rule.kind === 'account' || rule.kind === 'card')
  if (blocks.length === 0 && rules.length === 0) return
  const merchants = await tx.query(listMerchantModes, {
    merchantIds: [...new Set(sent.map((each) => each.merchantId))],
  })
  const modes = new Map(merchants.map(({ id, mode }) => [id, mode]))
  const uses = sent.map((each): SentMoney & PayerUse => ({
    ...each,
    mode: modes.get(each.merchantId) ?? 'live',
    at: tx.now,
  }))
  const counted = await tx.query(listUses, { payerIndexes, after: tx.now - maxVelocityWindowMs })
  const found: FoundRisk[] = []
  for (const use of uses) {
    const { merchantId, paymentId, senderIndex, senderIndexes, senderKind: kind } = use
    const block = blocks.find((each) => senderIndexes.includes(each.payerIndex) && isBlocking(each, merchantId, tx.now))
    const before = counted.filter((each) => senderIndexes.includes(each.payerIndex) && each.kind === kind)
    const findings = rules
      .filter((rule) => rule.kind === kind && (rule.merchantId === null || rule.merchantId === merchantId))
      .flatMap((rule) => breakVelocity(rule, before, use) ?? [])
    const finding = block ? blockFinding(block) : findings[0]
    if (finding) found.push({ merchantId, paymentId, finding })
    counted.push({ ...use, payerIndex: senderIndex, kind })
  }
  const rows = uses.map((use) => ({ ...use, payerIndex: use.senderIndex, kind: use.senderKind }))
  await tx.query(insertUses, { rows })
  await recordDecisions(tx, 'transfer', 'flagged', found)
}

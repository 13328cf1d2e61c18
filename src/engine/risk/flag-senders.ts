import type { Tx } from '../context.ts'
import { arrangeRules, type JudgedPayment } from '../../rules/merchants/risk.ts'
import { judgePayers } from './judge-payers.ts'
import { recordDecisions } from './record-decisions.ts'
import { listBlocksOf, listMerchantModes, listRules } from './store.ts'

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
  const judged = sent.map((each) => ({ ...each, mode: modes.get(each.merchantId) ?? ('live' as const), at: tx.now }))
  const found = await judgePayers(tx, rules, judged, 'all')
  await recordDecisions(tx, 'transfer', 'flagged', found)
}
